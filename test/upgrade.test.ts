import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../src/db/migrate.ts'
import type { Db } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'
import { emptyDatabase, tempFolder, waitFor } from './harness.ts'
import { startOn } from './processes.ts'
import { recordedKey, recordedMigration, restoreRecorded } from './upgrade/data.ts'
import { playRequests, type Seen } from './upgrade/play.ts'
import { findBreaches, readSchema, type Schema, statementsAfter } from './upgrade/schema-changes.ts'
import { missing, shapeOf } from './upgrade/shape.ts'
import { readParts, readStatements, readTraffic, replay, type Took } from './upgrade/traffic.ts'

/** What an older program may wait for a migration: far less than its callers wait for it. */
const maxWaitMs = 2000
const runLimitMs = 60_000

/** The older program at work: each lane a connection that keeps its prepared statements. */
function startOldProgram(url: string, lanes: number) {
  const recorded = { statements: readStatements(), traffic: readTraffic() }
  const options = `-c TimeZone=UTC -c lock_timeout=${maxWaitMs}`
  const took: Took[] = []
  let runs = 0
  let isOver = false
  const work = async (lane: number): Promise<void> => {
    const client = new pg.Client({ connectionString: url, options })
    await client.connect()
    try {
      for (let round = 1; !isOver; round++) {
        took.push(...(await replay(client, { ...recorded, run: `${lane}-${round}` })))
        runs++
      }
    } finally {
      await client.end()
    }
  }
  const working = Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
  let fault: unknown
  working.catch((error) => {
    fault = error
  })
  return {
    /** Answers once it was through everything again, and fails with its first fault. */
    async again(): Promise<void> {
      const wanted = runs + lanes
      await waitFor(() => fault ?? runs >= wanted, { timeoutMs: runLimitMs })
      if (fault) throw fault
    },
    async stop(): Promise<Took[]> {
      isOver = true
      await working
      return took
    },
  }
}

/** A report that reads a table for a while: whoever wants to change the table has to wait. */
async function holdTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`begin; select from ${table} limit 1`)
  return () => client.end()
}

test('a program of the release before works on while the database is migrated', async (t) => {
  const { url, sql: db } = await emptyDatabase(t)
  await restoreRecorded(db)
  const before = await readSchema(db)
  const old = startOldProgram(url, 3)
  await old.again()
  const release = await holdTable(url, 'webhooks')
  const migrating = migrate(db)
  await old.again()
  await release()
  const { applied } = await migrating
  await old.again()
  const took = await old.stop()
  const longest = Math.max(...took.map(({ ms }) => ms))
  t.diagnostic(`${took.length} statements during ${applied.length} migrations`)
  t.diagnostic(`the longest took ${Math.round(longest)} ms`)
  assert.ok(applied.length > 0)
  assert.deepEqual((await checkLedger(db)).problems, [])
  const breaches = findBreaches(before, await readSchema(db), statementsAfter(recordedMigration))
  assert.deepEqual(breaches, [])
})

/** The new program on the database of the old one, with the keys its merchant has. */
async function startNew(t: TestContext, url: string): Promise<string> {
  const dataDir = await tempFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const env = {
    ...{ MALIPO_DATA_DIR: dataDir, MALIPO_MASTER_KEY: recordedKey },
    ...{ MALIPO_DATABASE_CONNECTIONS: '6', MALIPO_LOOPBACK_WEBHOOKS: 'on' },
  }
  return await startOn(t, url, { env }).ready()
}

async function isPaid(db: Db, reference: string): Promise<boolean> {
  const rows = await db`
    select from transactions where external_reference = ${reference} and status = 'successful'`
  return rows.length === 1
}

test('the new program serves the requests of the release before, beside it', async (t) => {
  const { url, sql: db } = await emptyDatabase(t)
  const keys = await restoreRecorded(db)
  const old = startOldProgram(url, 1)
  await old.again()
  const address = await startNew(t, url)
  const now = await playRequests(address, keys, { run: 'new' })
  await old.stop()
  const recorded = readParts('answers.jsonl') as Record<string, Seen>
  for (const [name, { status, shape }] of Object.entries(recorded)) {
    assert.equal(now[name]?.status, status, name)
    assert.deepEqual(missing(shape, now[name]!.shape), [], name)
  }
  await waitFor(async () => await isPaid(db, 'new-payout-1'), { timeoutMs: 10_000 })
  assert.deepEqual((await checkLedger(db)).problems, [])
})

const schema: Schema = {
  columns: [
    { name: 'transactions.note', type: 'text', required: false, filled: false },
    { name: 'transactions.state', type: 'text', required: false, filled: false },
  ],
  files: [{ name: 'transactions', table: 'transactions', file: 1 }],
  constraints: [],
}

test('a migration that an older program would stumble over is found', () => {
  const breachesOf = (change: Partial<Schema>, ...statements: string[]): string[] =>
    findBreaches(schema, { ...schema, ...change }, statements)
  const [note, state] = schema.columns as [Schema['columns'][0], Schema['columns'][0]]
  assert.deepEqual(breachesOf({}), [])
  assert.deepEqual(breachesOf({ columns: [note] }), ['transactions.state is gone'])
  assert.deepEqual(breachesOf({ columns: [note, { ...state, type: 'int' }] }), [
    'transactions.state was text and is int',
  ])
  assert.deepEqual(breachesOf({ columns: [note, { ...state, required: true }] }), [
    'transactions.state is required now',
  ])
  const fresh = { ...note, name: 'transactions.fresh', required: true }
  assert.deepEqual(breachesOf({ columns: [note, state, { ...fresh, filled: true }] }), [])
  assert.equal(breachesOf({ columns: [note, state, fresh] }).length, 1)
  assert.deepEqual(breachesOf({ files: [{ ...schema.files[0]!, file: 2 }] }), [
    'transactions is rewritten under a lock',
  ])
  const index = { name: 'by_note', table: 'transactions', file: 3 }
  const files = [...schema.files, index]
  assert.equal(breachesOf({ files }, 'create index by_note on transactions (note)').length, 1)
  const concurrently = 'create index concurrently by_note on transactions (note)'
  assert.deepEqual(breachesOf({ files }, concurrently), [])
  const constraints = [{ name: 'short', table: 'transactions', validated: true }]
  assert.equal(breachesOf({ constraints }).length, 1)
  const validate = 'alter table transactions validate constraint short'
  assert.deepEqual(breachesOf({ constraints }, validate), [])
})

test('an answer that lost a field, or changed its type, does not pass for the old one', () => {
  const old = shapeOf({ data: [{ id: 'a', fee: 1, note: null }] })
  const losses = (now: unknown): string[] => missing(old, shapeOf(now))
  assert.deepEqual(losses({ data: [{ id: 'b', fee: 2, note: 'x', more: true }], extra: 1 }), [])
  assert.deepEqual(losses({ data: [{ id: 'b', note: null }] }), ['.data[].fee is missing'])
  assert.deepEqual(losses({ data: [{ id: 'b', fee: '2', note: null }] }), [
    '.data[].fee is string, was number',
  ])
  assert.deepEqual(losses({}), ['.data is missing'])
})
