import { rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, readProcessConfig } from '../config.ts'
import { backUpCluster } from '../db/embedded/backup.ts'
import { placeBackup, recoverySettings } from '../db/embedded/restore.ts'
import { startEmbeddedServer } from '../db/embedded-server.ts'
import { connect, type Db } from '../db/pool.ts'
import { CommandError } from './command-error.ts'
import { joinLines } from './layout.ts'
import { leaf } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type RestoreFlags = AnswerOptions & { archive?: string; until?: string }

const mebibyte = 1024 ** 2

export function addBackupCommands(program: Command, terminal: Terminal): void {
  leaf(
    program,
    'backup <folder>',
    'Copy the own database, while it works, into a new folder',
  ).action((folder: string, options: AnswerOptions) =>
    terminal.answer({ ...options, asItIs: true }, (session) => backUp(session, folder)),
  )
  leaf(program, 'restore <folder>', 'Put a backup into the data folder, which has to be empty')
    .option('--archive <folder>', 'go on from the backup with what was archived since')
    .option('--until <time>', 'go on to this time and no further, such as 2026-11-15T08:30:00Z')
    .action((folder: string, options: RestoreFlags) =>
      terminal.report(options, () => restore(readProcessConfig(), folder, options)),
    )
}

function requireOwn({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return
  throw new CommandError(
    'This is for the own database in the data folder. For the one of DATABASE_URL use the ' +
      'programs of PostgreSQL: docs/operating/backup.md says how.',
  )
}

async function backUp({ config, db }: Session, folder: string): Promise<Answer> {
  requireOwn(config)
  const made = await backUpCluster(db, config.dataDir, folder)
  const completedAt = made.completedAt.toISOString()
  const size = `${Math.ceil(made.bytes / mebibyte)} MiB`
  return {
    text: joinLines([
      `The backup is in ${made.folder}, ${size}, complete at ${completedAt}.`,
      'The master key is not in it: keep that apart, or the secrets in it cannot be read.',
    ]),
    json: { folder: made.folder, bytes: made.bytes, completedAt },
  }
}

async function restore(config: Config, folder: string, options: RestoreFlags): Promise<Answer> {
  requireOwn(config)
  const until = options.until === undefined ? undefined : timeOf(options.until)
  const { archive } = options
  if (until && archive === undefined) {
    throw new CommandError('--until needs --archive: a backup alone ends where it ends.')
  }
  const { dataDir } = config
  const cluster = await placeBackup({ from: folder, dataDir, archive, until })
  const lastAt = await recover(config).catch(async (error: unknown) => {
    // It is the copy that was just made, and it would be in the way of the next try.
    await rm(cluster, { recursive: true, force: true, maxRetries: 3 })
    throw error
  })
  const upTo = lastAt ? ` The last that is in it was written at ${lastAt}.` : ''
  return {
    text: joinLines([
      `The database was restored into ${dataDir}.${upTo}`,
      'Put the master key back, start the service, then run malipo ledger check and verify.',
    ]),
    json: { dataDir, lastAt: lastAt ?? null },
  }
}

/** A time without a zone would mean another moment on another machine. */
function timeOf(text: string): Date {
  const time = new Date(text)
  if (/(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new CommandError('--until must be a time with its zone, such as 2026-11-15T08:30:00Z.')
}

/** Lets PostgreSQL do it now, and forget the order: later starts are ordinary ones. */
async function recover(config: Config): Promise<string | undefined> {
  const { dataDir, walArchiveDir: archiveDir } = config
  const server = await startEmbeddedServer({ dataDir, archiveDir })
  const db = connect(server.url, { maxConnections: 1 })
  try {
    const lastAt = await lastReplayed(db)
    for (const name of recoverySettings) await db.unsafe(`alter system reset ${name}`)
    return lastAt
  } finally {
    await db.end({ timeout: 1 })
    await server.stop()
  }
}

async function lastReplayed(db: Db): Promise<string | undefined> {
  const [row] = await db<{ at: Date | null }[]>`select pg_last_xact_replay_timestamp() as at`
  return row?.at?.toISOString()
}
