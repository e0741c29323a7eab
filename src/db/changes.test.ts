import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase, waitFor } from '../../test/harness.ts'
import { manualClock } from '../clock.ts'
import { announceChange, followChanges, silenceLimitMs } from './changes.ts'
import { connect, type Db } from './pool.ts'
import { transaction } from './transaction.ts'

/** A node that writes down what it hears. */
async function listener(t: TestContext, url: string) {
  const db = connect(url, { maxConnections: 2, applicationName: 'listener' })
  const clock = manualClock(1_000_000)
  const changes = await followChanges(db, clock)
  const heard: string[] = []
  changes.onChange((subject) => heard.push(subject))
  t.after(async () => {
    await changes.stop()
    await db.end({ timeout: 1 })
  })
  return { db, clock, changes, heard }
}

async function cutListeners(sql: Db): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and query ilike 'listen%'`
}

test('what one node announces every node hears, itself included, in order', async (t) => {
  const { url } = await testDatabase(t)
  const [one, two] = [await listener(t, url), await listener(t, url)]
  for (const subject of ['credential:1', 'credential:2', 'account:3']) {
    await announceChange(one.db, subject)
  }
  for (const { heard } of [one, two]) {
    await waitFor(() => heard.length >= 3)
    assert.deepEqual(heard, ['credential:1', 'credential:2', 'account:3'])
  }
})

test('a change is told when its transaction commits, and not when it is undone', async (t) => {
  const { url, sql } = await testDatabase(t)
  const { heard } = await listener(t, url)
  const undone = transaction(sql, async (tx) => {
    await announceChange(tx, 'credential:undone')
    throw new Error('changed my mind')
  })
  await assert.rejects(undone, /changed my mind/)
  let heardInside: string[] = []
  await transaction(sql, async (tx) => {
    await announceChange(tx, 'credential:done')
    await sql`select pg_sleep(0.05)`
    heardInside = [...heard]
  })
  await waitFor(() => heard.length > 0)
  assert.deepEqual(heardInside, [])
  assert.deepEqual(heard, ['credential:done'])
})

test('a node is live until it has heard nothing for three heartbeats', async (t) => {
  const { url } = await testDatabase(t)
  const { clock, changes, heard, db } = await listener(t, url)
  assert.equal(changes.isLive(), true)
  clock.advance(silenceLimitMs)
  assert.equal(changes.isLive(), true)
  clock.advance(1)
  assert.equal(changes.isLive(), false)
  // It cannot know what it missed, so whatever comes next means that anything may have changed.
  await announceChange(db, 'credential:1')
  await waitFor(() => heard.length > 0)
  assert.deepEqual(heard, ['all'])
  assert.equal(changes.isLive(), true)
})

test('a heartbeat keeps a node live without anybody being told', async (t) => {
  const { url } = await testDatabase(t)
  const { clock, changes, heard, db } = await listener(t, url)
  clock.advance(silenceLimitMs)
  await announceChange(db, 'heartbeat')
  await announceChange(db, 'credential:last')
  await waitFor(() => heard.length > 0)
  assert.deepEqual(heard, ['credential:last'])
  clock.advance(1)
  assert.equal(changes.isLive(), true)
})

test('nodes hear each other without having anything to say', async (t) => {
  const { url } = await testDatabase(t)
  const { clock, changes } = await listener(t, url)
  clock.advance(silenceLimitMs + 1)
  assert.equal(changes.isLive(), false)
  await waitFor(() => changes.isLive())
})

test('a node whose connection was cut listens again and forgets what it may have missed', async (t) => {
  const { url, sql } = await testDatabase(t)
  const { heard } = await listener(t, url)
  await cutListeners(sql)
  await waitFor(() => heard.includes('all'))
  await announceChange(sql, 'credential:after')
  await waitFor(() => heard.includes('credential:after'))
})

test('after a stop nothing is heard and nothing is left open', async (t) => {
  const { url, sql } = await testDatabase(t)
  const { changes, heard, db } = await listener(t, url)
  await changes.stop()
  await announceChange(sql, 'credential:late')
  await db.end()
  const [open] = await sql`
    select count(*)::int as connections from pg_stat_activity
    where datname = current_database() and application_name = 'listener'`
  assert.equal(open?.connections, 0)
  assert.deepEqual(heard, [])
})
