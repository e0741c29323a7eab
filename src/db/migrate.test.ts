import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { emptyDatabase } from '../../test/harness.ts'
import { migrate, migrationState } from './migrate.ts'
import { connect, type Db } from './pool.ts'
import { splitStatements } from './split-statements.ts'

type Files = Record<string, string>

async function write(dir: URL, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(new URL(name, dir), text)
}

async function folder(t: TestContext, files: Files): Promise<URL> {
  const path = await mkdtemp(join(tmpdir(), 'malipo-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  const dir = pathToFileURL(`${path}/`)
  await write(dir, files)
  return dir
}

async function tableNames(sql: Db): Promise<string[]> {
  const rows = await sql<{ relname: string }[]>`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname
  `
  return rows.map((row) => row.relname)
}

const two = {
  '0001_first.sql': 'create table first (id int);\ninsert into first values (1);',
  '0002_second.sql': 'create table second (id int);',
}

test('migrations are applied in order, once, and those of tests are left out', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, { ...two, '0002_second.test.sql': 'select 1 / 0' })
  assert.deepEqual(await migrationState(sql, { dir }), {
    ready: false,
    pending: ['0001_first.sql', '0002_second.sql'],
  })
  const told: string[] = []
  const first = await migrate(sql, { dir, onProgress: (sentence) => told.push(sentence) })
  assert.deepEqual(first.applied, ['0001_first.sql', '0002_second.sql'])
  assert.deepEqual(told, [
    'Applying migration 0001_first.sql.',
    'Applying migration 0002_second.sql.',
  ])
  assert.deepEqual(await migrate(sql, { dir }), { applied: [] })
  assert.deepEqual(await tableNames(sql), ['first', 'schema_migrations', 'second'])
  assert.deepEqual(await migrationState(sql, { dir }), { ready: true, pending: [] })
})

test('of twenty that start at once one migrates and nineteen find nothing to do', async (t) => {
  const { url } = await emptyDatabase(t)
  const index = '-- no transaction\ncreate index concurrently on first (id);'
  const dir = await folder(t, { ...two, '0003_index.sql': index })
  const pools = Array.from({ length: 20 }, () => connect(url, { maxConnections: 1 }))
  try {
    const results = await Promise.all(pools.map((sql) => migrate(sql, { dir })))
    const counts = results.map((result) => result.applied.length).sort((a, b) => b - a)
    assert.deepEqual(counts, [3, ...Array(19).fill(0)])
  } finally {
    await Promise.all(pools.map((sql) => sql.end()))
  }
})

test('a migration that fails leaves nothing behind and says where it failed', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, {
    ...two,
    '0002_second.sql': 'create table second (id int);\n\ninsert into nowhere values (1);',
  })
  await assert.rejects(migrate(sql, { dir }), {
    message: 'Migration 0002_second.sql failed at line 3: relation "nowhere" does not exist',
  })
  assert.deepEqual(await tableNames(sql), ['first', 'schema_migrations'])
  await write(dir, two)
  assert.deepEqual(await migrate(sql, { dir }), { applied: ['0002_second.sql'] })
})

test('a migration whose connection is cut fails, and the next try is free to run', async (t) => {
  const { sql } = await emptyDatabase(t)
  const cut = 'create table first (id int); select pg_terminate_backend(pg_backend_pid());'
  const dir = await folder(t, { '0001_first.sql': cut })
  await assert.rejects(migrate(sql, { dir }), /Migration 0001_first.sql failed/)
  await write(dir, { '0001_first.sql': two['0001_first.sql'] })
  assert.deepEqual(await migrate(sql, { dir }), { applied: ['0001_first.sql'] })
})

test('a migration cannot end the transaction that records it', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, { '0001_first.sql': 'create table first (id int); -- so\ncommit;' })
  await assert.rejects(migrate(sql, { dir }), /must not begin or end a transaction/)
  assert.deepEqual(await tableNames(sql), [])
})

test('the limits of ordinary work hold again after a migration, but not in it', async (t) => {
  const { url } = await emptyDatabase(t)
  const sql = connect(url, { maxConnections: 1, statementTimeoutMs: 100 })
  t.after(() => sql.end({ timeout: 1 }))
  const dir = await folder(t, { '0001_slow.sql': 'select pg_sleep(0.2)' })
  await migrate(sql, { dir })
  await assert.rejects(sql`select pg_sleep(0.2)`, { code: '57014' })
})

test('a migration that finds a table in use lets others pass, and comes through later', async (t) => {
  const { url, sql } = await emptyDatabase(t)
  const dir = await folder(t, { '0001_first.sql': 'create table first (id int);' })
  await migrate(sql, { dir })
  await write(dir, { '0002_more.sql': 'alter table first add column more int;' })
  const others = connect(url, { maxConnections: 2 })
  t.after(() => others.end({ timeout: 1 }))
  const reader = await others.reserve()
  await reader.unsafe('begin; select from first')
  const migrating = migrate(sql, { dir })
  for (let round = 0; round < 10; round++) {
    await others.unsafe("set lock_timeout = '1s'; insert into first values (1)")
    await delay(50)
  }
  await reader.unsafe('commit')
  reader.release()
  assert.deepEqual(await migrating, { applied: ['0002_more.sql'] })
})

test('a database made by a newer program is refused', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, two)
  await migrate(sql, { dir })
  await sql`insert into schema_migrations values (42, 'later', 'abc')`
  const message =
    'The database was made by a newer version of Malipo (migration 0042); update the program.'
  await assert.rejects(migrate(sql, { dir }), { message })
  assert.deepEqual(await migrationState(sql, { dir }), {
    ready: false,
    pending: [],
    refusal: message,
  })
})

test('an applied file that was changed is refused, but not for its line ends', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, two)
  await migrate(sql, { dir })
  await write(dir, { '0001_first.sql': two['0001_first.sql'].replaceAll('\n', '\r\n') })
  assert.deepEqual(await migrate(sql, { dir }), { applied: [] })
  await write(dir, { '0001_first.sql': 'create table other (id int);' })
  await assert.rejects(migrate(sql, { dir }), /0001_first.sql was changed after/)
})

test('an applied file that is gone, and one that comes too late, are refused', async (t) => {
  const { sql } = await emptyDatabase(t)
  const dir = await folder(t, { '0001_first.sql': 'select 1', '0003_third.sql': 'select 1' })
  await migrate(sql, { dir })
  await write(dir, { '0002_late.sql': 'select 1' })
  await assert.rejects(migrate(sql, { dir }), /0002_late.sql comes before 0003/)
  await rm(new URL('0001_first.sql', dir))
  await assert.rejects(migrate(sql, { dir }), /0001_first is applied .* file is missing/)
})

test('wrong names and numbers given twice are refused before anything is applied', async (t) => {
  const { sql } = await emptyDatabase(t)
  const twice = await folder(t, { ...two, '0002_again.sql': 'select 1' })
  await assert.rejects(migrate(sql, { dir: twice }), /Two migrations have the number 0002/)
  const wrong = await folder(t, { ...two, '3_third.sql': 'select 1' })
  await assert.rejects(migrate(sql, { dir: wrong }), /must be named NNNN_name.sql/)
  assert.deepEqual(await tableNames(sql), [])
})

test('a file is cut into statements only where a semicolon ends one', () => {
  const statements = [
    "-- it's; a comment\nselect ';', E'\\';', \"a;b\", date'2020-01-01'",
    'create function f() returns int language plpgsql as $body$ begin; $$;$$ end $body$',
    'select 1 /* ; /* nested; */ ; */ + 2',
  ]
  assert.deepEqual(splitStatements(`${statements.join(';\n')};\n-- the end;\n`), statements)
})
