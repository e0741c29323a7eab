import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/harness.ts'
import { analyseYoungTables } from './young-tables.ts'

test('a table that has grown is looked at once, and a small one is left to PostgreSQL', async (t) => {
  const { sql } = await testDatabase(t)
  await sql.unsafe('create table "Young one" (n int); create table small (n int)')
  // Nobody but us looks at them here.
  await sql.unsafe('alter table "Young one" set (autovacuum_enabled = off)')
  await sql.unsafe('alter table small set (autovacuum_enabled = off)')
  await sql.unsafe('insert into "Young one" select generate_series(1, 100000)')
  await sql.unsafe('insert into small values (1)')
  const known = async () =>
    await sql`
      select relname, reltuples from pg_class where relname in ('Young one', 'small')
      order by relname`
  const unknown = [
    { relname: 'Young one', reltuples: -1 },
    { relname: 'small', reltuples: -1 },
  ]
  assert.deepEqual(await known(), unknown)
  await analyseYoungTables(sql)
  const looked = [{ relname: 'Young one', reltuples: 100_000 }, unknown[1]]
  assert.deepEqual(await known(), looked)
  await sql.unsafe('insert into "Young one" select generate_series(1, 100000)')
  await analyseYoungTables(sql)
  assert.deepEqual(await known(), looked)
})
