import { migrationState } from '../../db/migrate.ts'
import type { Db } from '../../db/pool.ts'
import type { Session } from '../session.ts'
import { ageText, type Check, type Finding, fail, ok, warn } from './finding.ts'

const oldestServer = 150_000
const driftMs = 1000
const muchDriftMs = 5000
const longTransactionSeconds = 600
const agingTransactions = 500_000_000
const agedTransactions = 1_500_000_000

export const databaseChecks: readonly Check[] = [
  { what: 'database', run: version },
  { what: 'clock', run: clock },
  { what: 'durability', run: durability },
  { what: 'wal', run: wal },
  { what: 'connections', run: connections },
  { what: 'autovacuum', run: autovacuum },
  { what: 'transactions', run: longTransactions },
  { what: 'migrations', run: migrations },
]

async function version({ db }: Session): Promise<Finding> {
  const [server] = await db<{ number: number; text: string }[]>`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as text`
  const found = `PostgreSQL ${server!.text}`
  return server!.number >= oldestServer
    ? ok('database', found)
    : fail('database', found, 'Malipo needs PostgreSQL 15 or newer.')
}

/** Half of the way there and back is the best guess at when the other clock was read. */
async function clock({ db }: Session): Promise<Finding> {
  await db`select 1`
  const beforeMs = Date.now()
  const [row] = await db<{ ms: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  return clockFinding(row!.ms - (beforeMs + Date.now()) / 2)
}

export function clockFinding(aheadMs: number): Finding {
  const off = Math.abs(aheadMs)
  const found = `${Math.floor(off)} ms between this machine and the database`
  const advice = 'Let both keep their time by NTP: deadlines, leases and signatures depend on it.'
  if (off > muchDriftMs) return fail('clock', found, advice)
  return off > driftMs ? warn('clock', found, advice) : ok('clock', found)
}

async function settingsOf<Name extends string>(
  db: Db,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const rows = await db<{ name: Name; value: string }[]>`
    select name, setting as value from pg_settings where name = any(${[...names]})`
  return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as Record<Name, string>
}

/** With one of these off, what was answered may be gone after a power cut. */
async function durability({ db }: Session): Promise<Finding> {
  const found = await settingsOf(db, ['fsync', 'full_page_writes', 'synchronous_commit'])
  const off = Object.entries(found).filter(([, value]) => value === 'off')
  if (off.length === 0) return ok('durability', 'what is committed is on disk')
  return fail(
    'durability',
    `${off.map(([name]) => name).join(', ')} off: what was answered can be lost`,
    'Set it to on, in postgresql.conf and for the user of the service.',
  )
}

type Archiver = { isFailing: boolean; slots: number }

async function wal({ db }: Session): Promise<Finding> {
  const { wal_level: level, archive_mode: mode } = await settingsOf(db, [
    'wal_level',
    'archive_mode',
  ])
  const [archiver] = await db<Archiver[]>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
        as "isFailing",
      (select count(*) from pg_replication_slots where not active)::int as slots
    from pg_stat_archiver`
  if (mode !== 'off' && archiver!.isFailing) {
    return fail('wal', 'archiving fails', 'See the log of PostgreSQL: backups have a gap.')
  }
  if (archiver!.slots > 0) {
    const advice = 'Bring its reader back, or drop it: it keeps log files until the disk is full.'
    return warn('wal', `${archiver!.slots} replication slots have no reader`, advice)
  }
  if (level === 'minimal') {
    return warn(
      'wal',
      'wal_level is minimal',
      'Set it to replica: without, only dumps can restore.',
    )
  }
  return ok('wal', `wal_level ${level}, archive_mode ${mode}`)
}

async function connections({ db, config }: Session): Promise<Finding> {
  const [row] = await db<{ used: number; most: number }[]>`
    select (select count(*) from pg_stat_activity where backend_type = 'client backend')::int
        as used,
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int as most`
  // The change feed has one of its own.
  return connectionsFinding({ ...row!, perProcess: config.databaseConnections + 1 })
}

export function connectionsFinding(seen: {
  used: number
  most: number
  perProcess: number
}): Finding {
  const { used, most, perProcess } = seen
  const found = `${used} of ${most} in use; a process keeps up to ${perProcess}`
  const advice = 'Raise max_connections, or lower MALIPO_DATABASE_CONNECTIONS.'
  if (perProcess > most) return fail('connections', found, advice)
  return most - used < perProcess ? warn('connections', found, advice) : ok('connections', found)
}

async function autovacuum({ db }: Session): Promise<Finding> {
  const { autovacuum: state } = await settingsOf(db, ['autovacuum'])
  const [row] = await db<{ age: number }[]>`
    select max(age(datfrozenxid))::float8 as age from pg_database`
  const found = `${state}; the oldest transaction number is ${row!.age.toLocaleString('en')} behind`
  if (state === 'off') {
    return fail(
      'autovacuum',
      found,
      'Set autovacuum to on: tables grow, and then PostgreSQL stops.',
    )
  }
  const advice = 'Find what holds it back: old transactions, replication slots, or too few workers.'
  if (row!.age > agedTransactions) return fail('autovacuum', found, advice)
  return row!.age > agingTransactions ? warn('autovacuum', found, advice) : ok('autovacuum', found)
}

/** One that goes on for long holds back seals, roll-ups and vacuum. */
async function longTransactions({ db }: Session): Promise<Finding> {
  const [row] = await db<{ seconds: number; name: string }[]>`
    select extract(epoch from now() - xact_start)::float8 as seconds, application_name as name
    from pg_stat_activity
    where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
    order by xact_start limit 1`
  const [prepared] = await db<{ count: number }[]>`
    select count(*)::int as count from pg_prepared_xacts`
  if (prepared!.count > 0) {
    const found = `${prepared!.count} prepared and not ended`
    return warn('transactions', found, 'End them: the service prepares none itself.')
  }
  if (row === undefined || row.seconds < longTransactionSeconds) {
    return ok('transactions', 'none is running for long')
  }
  const found = `one of "${row.name}" is running for ${ageText(row.seconds)}`
  return warn('transactions', found, 'End it, if it is not a backup: nothing is sealed meanwhile.')
}

async function migrations({ db }: Session): Promise<Finding> {
  const { pending, refusal } = await migrationState(db)
  if (refusal !== undefined) return fail('migrations', refusal, 'Run the program that fits.')
  if (pending.length === 0) return ok('migrations', 'the database is up to date')
  return fail('migrations', `${pending.length} pending: ${pending.join(', ')}`, 'malipo migrate')
}
