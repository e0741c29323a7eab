import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { findEmbeddedServer } from '../db/embedded-server.ts'
import { checkMasterKey } from '../db/master-key-check.ts'
import { migrate, migrationState } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import type { Db } from '../db/pool.ts'
import { createIds, type Ids } from '../ids.ts'
import { readMasterKeys } from '../master-key.ts'
import { createSeal, type Seal } from '../seal.ts'
import { CommandError } from './command-error.ts'
import { watchInterrupts } from './interrupts.ts'

/** What a command works with. */
export type Session = { config: Config; db: Db; ids: Ids; actor: string }

export type SessionOptions = {
  onProgress: (sentence: string) => void
  /** The command that brings the database up to date takes it as it is. */
  asItIs?: boolean
}

// One more than a command uses at once: a cancellation must not wait for what it cancels.
const maxConnections = 3
const cancelLimitMs = 1000

/** Opens the database for one command. It is closed again however the command ends. */
export async function inSession<Result>(
  config: Config,
  { onProgress, asItIs }: SessionOptions,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const interrupts = watchInterrupts()
  const applicationName = `malipo cli ${randomBytes(4).toString('hex')}`
  const isOurs = config.databaseUrl === undefined && !(await findEmbeddedServer(config.dataDir))
  const opening = openDatabase(config, {
    applicationName,
    maxConnections,
    beside: true,
    onProgress,
  })
  const work = async (): Promise<Result> => {
    const { db } = await opening
    if (!asItIs) await requireMigrated(db, isOurs, onProgress)
    return use({ config, db, ids: createIds(systemClock), actor: actorName() })
  }
  try {
    return await Promise.race([work(), interrupts.asked])
  } finally {
    // A server that is being started must be waited for, to be stopped; one elsewhere need not.
    const isElsewhere = interrupts.wasAsked() && config.databaseUrl !== undefined
    const opened = await within(isElsewhere ? cancelLimitMs : undefined, opening)
    if (opened && interrupts.wasAsked()) await cancelStatements(opened.db, applicationName)
    await opened?.close()
    interrupts.stop()
  }
}

/** Nobody waits any more for what is still running: the server need not finish it. */
async function cancelStatements(db: Db, applicationName: string): Promise<void> {
  const cancelled = db`
    select pg_cancel_backend(pid) from pg_stat_activity
    where application_name = ${applicationName} and pid <> pg_backend_pid()`
  await within(cancelLimitMs, cancelled)
}

/** What came within the limit; nothing where it failed or took longer. */
async function within<Result>(
  limitMs: number | undefined,
  result: PromiseLike<Result>,
): Promise<Result | undefined> {
  const settled = Promise.resolve(result).catch(() => undefined)
  if (limitMs === undefined) return await settled
  return await Promise.race([settled, delay(limitMs, undefined, { ref: false })])
}

/** A database that others use is changed only when somebody says so. */
async function requireMigrated(
  db: Db,
  isOurs: boolean,
  onProgress: (sentence: string) => void,
): Promise<void> {
  const { ready, refusal } = await migrationState(db)
  if (ready) return
  if (refusal !== undefined) throw new CommandError(refusal)
  if (!isOurs) throw new CommandError('The database is not up to date: run malipo migrate first.')
  await migrate(db, { onProgress })
}

/** For the commands that make or read secrets. */
export async function openSeal({ config, db }: Session): Promise<Seal> {
  const seal = createSeal(readMasterKeys(config))
  await checkMasterKey(db, seal)
  return seal
}

function actorName(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // In a container the user may have a number and no name.
    return `cli:${process.getuid?.() ?? 'unknown'}`
  }
}
