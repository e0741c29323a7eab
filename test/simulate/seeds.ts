import type { Db } from '../../src/db/pool.ts'
import { createReference } from '../../src/reference/reference.ts'
import { silentLog } from '../app-harness.ts'
import { testDatabase } from '../harness.ts'
import { type Report, type Run, runSeed } from './run.ts'

/** Runs seeds one after the other, on one database that is empty before each of them. */
export type Series = { run(run: Run): Promise<Report>; end(): Promise<void> }

export async function openSeries(): Promise<Series> {
  const { sql: db, drop } = await testDatabase()
  const tables = await emptyTables(db)
  // The lists are the same for all seeds, and nobody changes them.
  const changes = { isLive: () => true, onChange() {}, stop: async () => {} }
  const reference = await createReference({ db, changes, log: silentLog })
  await reference.stop()
  return {
    async run(run) {
      await wipe(db, tables)
      return await runSeed({ db, reference }, run)
    },
    end: drop,
  }
}

/** What a fresh database has nothing in. */
async function emptyTables(db: Db): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`
  const empty: string[] = []
  for (const { name } of rows) {
    const [row] = await db.unsafe(`select 1 from ${name} limit 1`)
    if (!row) empty.push(name)
  }
  return empty
}

/**
 * Row by row, for a truncated table makes every plan anew; and past the triggers by which the
 * ledger refuses it.
 */
async function wipe(db: Db, tables: readonly string[]): Promise<void> {
  await db.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx.unsafe(tables.map((name) => `delete from ${name}`).join('; '))
  })
}
