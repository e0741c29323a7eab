import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startWire } from '../../test/chaos/wire.ts'
import { testDatabase, waitFor } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { followChanges } from './changes.ts'
import { isConnectionFault } from './faults.ts'
import { createGroupCommit } from './group-commit.ts'
import { connect } from './pool.ts'

const statementTimeoutMs = 300
const answerMarginMs = 300

/** A pool behind a wire that can stop carrying anything without saying so. */
async function poolOnWire(t: TestContext) {
  const { url, sql } = await testDatabase(t)
  const behind = new URL(url)
  const wire = await startWire(Number(behind.port))
  behind.port = String(wire.port)
  const limits = { statementTimeoutMs, answerMarginMs }
  const db = connect(behind.href, { maxConnections: 1, ...limits })
  t.after(async () => {
    await db.end({ timeout: 0.1 })
    await wire.close()
  })
  await db`select 1`
  return { db, wire, sql }
}

test('a query on a connection that went silent fails in time, and the next one works', async (t) => {
  const { db, wire } = await poolOnWire(t)
  wire.swallow()
  await assert.rejects(db`select 1`, isConnectionFault)
  assert.deepEqual(await db`select 2 as two`, [{ two: 2 }])
})

test('a transaction on a connection that went silent fails in time, and the next one works', async (t) => {
  const { db, wire } = await poolOnWire(t)
  const swallowed = db.begin(async (tx) => {
    await tx`select 1`
    wire.swallow()
    await tx`select 2`
  })
  await assert.rejects(swallowed, isConnectionFault)
  assert.deepEqual(await db.begin((tx) => tx`select 2 as two`), [{ two: 2 }])
})

test('a transaction that may take its time is given it', async (t) => {
  const { db } = await poolOnWire(t)
  const slow = await db.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    return tx`select 1 as one from pg_sleep(1)`
  })
  assert.deepEqual(slow, [{ one: 1 }])
})

test('a group commit on a connection that went silent is made on another', async (t) => {
  const { db, wire, sql } = await poolOnWire(t)
  await sql`create table made (item int)`
  const commits = createGroupCommit<number, number>({
    commit: (items) => db`insert into made select unnest(${items}::int[])`.then(() => items),
    ...{ maxBatch: 10, maxQueued: 10 },
  })
  wire.swallow()
  assert.equal(await commits.submit(7), 7)
  assert.deepEqual(await sql`select item from made`, [{ item: 7 }])
})

test('a node whose feed of changes went silent listens anew by itself', async (t) => {
  const { db, wire } = await poolOnWire(t)
  const changes = await followChanges(db, systemClock)
  t.after(() => changes.stop())
  wire.swallow()
  await waitFor(() => !changes.isLive(), { timeoutMs: 10_000, everyMs: 50 })
  await waitFor(() => changes.isLive(), { timeoutMs: 10_000, everyMs: 50 })
})
