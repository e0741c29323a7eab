import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isConflictFault, isLockFault } from './faults.ts'
import type { Db, Sql } from './pool.ts'
import { splitStatements, withoutComments } from './split-statements.ts'

export type MigrateOptions = {
  dir?: URL
  onProgress?: (sentence: string) => void
}

export type MigrationState = {
  /** The database is exactly what this program expects. */
  ready: boolean
  /** Files that are not applied yet. */
  pending: string[]
  /** The first reason why the program must not run on this database. */
  refusal?: string
}

type Migration = { version: number; file: string; name: string; text: string; checksum: string }
type Applied = { version: number; name: string; checksum: string }

const defaultDir = new URL('../../migrations/', import.meta.url)
const oldestServer = 150_000
const lockKey = '120265198104688'
const lockLimitMs = 600_000
const lockPollMs = 50
/**
 * Whoever waits for a lock makes all who come later wait behind it. So a migration asks for a
 * moment only, less than PostgreSQL lets pass before it looks for deadlocks, and then tries again.
 */
const patience = "set lock_timeout = '250ms'"
const noPatience = 'set lock_timeout = 0'
const shortestPauseMs = 100
const longestPauseMs = 3000
/** A migration may read a large table: the limits of ordinary work do not hold for it. */
const unlimited = 'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0'
const opening = 'begin;\n'
const noTransactionMark = /^-- no transaction\s*\n/

/** Brings the database up to the migrations of this program. Any number may do so at once. */
export async function migrate(
  db: Db,
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.dir ?? defaultDir)
  const lane = await db.reserve()
  try {
    await lane.unsafe(`${unlimited}; ${patience}`)
    await refuseOldServer(lane)
    await takeLock(lane)
    return { applied: await applyPending(lane, migrations, options.onProgress ?? (() => {})) }
  } finally {
    await lane.unsafe('select pg_advisory_unlock_all(); reset all').catch(() => {})
    lane.release()
  }
}

/** How the database stands to the migrations of this program, without changing it. */
export async function migrationState(db: Db, options: { dir?: URL } = {}): Promise<MigrationState> {
  const migrations = await readMigrations(options.dir ?? defaultDir)
  const [table] = await db`select to_regclass('schema_migrations') is not null as present`
  const applied = table?.present ? await readApplied(db) : []
  const refusal = reasonToRefuse(migrations, applied)
  const pending = pendingOf(migrations, applied).map((migration) => migration.file)
  const ready = refusal === undefined && pending.length === 0
  return { ready, pending, ...(refusal === undefined ? {} : { refusal }) }
}

async function readMigrations(dir: URL): Promise<Migration[]> {
  const folder = fileURLToPath(dir)
  const migrations: Migration[] = []
  for (const file of (await readdir(folder)).sort()) {
    if (!file.endsWith('.sql') || file.endsWith('.test.sql')) continue
    const [, digits, name] = /^(\d{4})_([a-z0-9_-]+)\.sql$/.exec(file) ?? []
    if (!digits || !name) throw new Error(`The migration ${file} must be named NNNN_name.sql.`)
    // A checkout may turn line ends; the migration is the same.
    const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n')
    const checksum = createHash('sha256').update(text).digest('hex')
    refuseTransactionCommands(file, text)
    const version = Number(digits)
    if (migrations.at(-1)?.version === version) {
      throw new Error(
        `Two migrations have the number ${digits}: ${migrations.at(-1)?.file}, ${file}.`,
      )
    }
    migrations.push({ version, file, name, text, checksum })
  }
  return migrations
}

async function refuseOldServer(lane: Sql): Promise<void> {
  const [server] = await lane<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`
  if (server && server.version >= oldestServer) return
  throw new Error('Malipo needs PostgreSQL 15 or newer; this server is older.')
}

/**
 * Asks again and again instead of waiting inside PostgreSQL: a waiting statement keeps a snapshot,
 * and the holder's "create index concurrently" would wait for it, for ever.
 */
async function takeLock(lane: Sql): Promise<void> {
  const until = Date.now() + lockLimitMs
  for (;;) {
    const [lock] = await lane`select pg_try_advisory_lock(${lockKey}::bigint) as held`
    if (lock?.held) return
    if (Date.now() > until) throw new Error('Another process has been migrating for too long.')
    await delay(lockPollMs)
  }
}

async function applyPending(
  lane: Sql,
  migrations: Migration[],
  onProgress: (sentence: string) => void,
): Promise<string[]> {
  await lane`
    create table if not exists schema_migrations (
      version int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )
  `
  const applied = await readApplied(lane)
  const refusal = reasonToRefuse(migrations, applied)
  if (refusal !== undefined) throw new Error(refusal)
  const pending = pendingOf(migrations, applied)
  for (const migration of pending) {
    onProgress(`Applying migration ${migration.file}.`)
    await applyInTime(lane, migration, onProgress)
  }
  return pending.map((migration) => migration.file)
}

async function readApplied(sql: Sql): Promise<Applied[]> {
  return await sql<
    Applied[]
  >`select version, name, checksum from schema_migrations order by version`
}

function pendingOf(migrations: Migration[], applied: Applied[]): Migration[] {
  const done = new Set(applied.map((row) => row.version))
  return migrations.filter((migration) => !done.has(migration.version))
}

function reasonToRefuse(migrations: Migration[], applied: Applied[]): string | undefined {
  const files = new Map(migrations.map((migration) => [migration.version, migration]))
  const newest = applied.at(-1)?.version ?? 0
  const newestFile = migrations.at(-1)?.version ?? 0
  for (const row of applied) {
    const migration = files.get(row.version)
    const label = digitsOf(row.version)
    if (migration === undefined && row.version > newestFile) {
      const made = `made by a newer version of Malipo (migration ${digitsOf(newest)})`
      return `The database was ${made}; update the program.`
    }
    if (migration === undefined) {
      return `Migration ${label}_${row.name} is applied in the database, but its file is missing.`
    }
    if (migration.checksum !== row.checksum) {
      const rule = 'put it back, and make the change in a new one.'
      return `Migration ${migration.file} was changed after it had been applied; ${rule}`
    }
  }
  const late = pendingOf(migrations, applied).find((migration) => migration.version < newest)
  if (late === undefined) return undefined
  const rule = `comes before ${digitsOf(newest)}, which is applied already; give it a newer number`
  return `Migration ${late.file} ${rule}.`
}

function digitsOf(version: number): string {
  return String(version).padStart(4, '0')
}

/** Tries again and again until no other work is in the way: it goes on in between. */
async function applyInTime(
  lane: Sql,
  migration: Migration,
  onProgress: (sentence: string) => void,
): Promise<void> {
  const until = Date.now() + lockLimitMs
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await apply(lane, migration)
    } catch (error) {
      const { cause } = error as Error
      const isInTheWay = isLockFault(cause) || isConflictFault(cause)
      if (!isInTheWay || Date.now() > until) throw error
      if (pauseMs === longestPauseMs) {
        onProgress(`Migration ${migration.file} waits for other work on the same tables.`)
      }
    }
    await delay(pauseMs)
  }
}

async function apply(lane: Sql, migration: Migration): Promise<void> {
  const { file, text } = migration
  try {
    if (noTransactionMark.test(text)) {
      for (const statement of splitStatements(text)) await applyAlone(lane, statement)
      await lane.unsafe(recordOf(migration))
    } else {
      // In one message, so that a connection that is lost and made anew cannot tear it apart.
      await lane.unsafe(`${opening}${text}\n;\n${recordOf(migration)};\ncommit`)
    }
  } catch (error) {
    await lane.unsafe(`rollback; ${patience}`).catch(() => {})
    throw new Error(`Migration ${file} failed${placeOf(error, text)}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** What works concurrently has to wait for others to end, and nobody waits behind it. */
async function applyAlone(lane: Sql, statement: string): Promise<void> {
  const waits = /\bconcurrently\b/i.test(withoutComments(statement))
  if (waits) await lane.unsafe(noPatience)
  await lane.unsafe(statement)
  if (waits) await lane.unsafe(patience)
}

/**
 * Name and checksum are safe to quote by how they are read. The key of the table also stops a
 * second one that migrates, should the lock have been lost.
 */
function recordOf({ version, name, checksum }: Migration): string {
  const values = `${version}, '${name}', '${checksum}'`
  return `insert into schema_migrations (version, name, checksum) values (${values})`
}

/** A file that ends the transaction itself would be applied without being recorded. */
function refuseTransactionCommands(file: string, text: string): void {
  const found = splitStatements(text).find((statement) =>
    /^(begin|start\s+transaction|commit|rollback|abort)\b/i.test(withoutComments(statement)),
  )
  if (found !== undefined) {
    throw new Error(`Migration ${file} must not begin or end a transaction: it runs in one.`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function placeOf(error: unknown, text: string): string {
  const position = Number((error as { position?: unknown }).position) - opening.length
  if (!(position > 0) || noTransactionMark.test(text)) return ''
  // PostgreSQL counts characters, not the units of a JavaScript string.
  const before = [...text].slice(0, position - 1)
  return ` at line ${before.filter((letter) => letter === '\n').length + 1}`
}
