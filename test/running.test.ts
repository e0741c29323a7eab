import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/db/embedded/processes.ts'
import { findEmbeddedServer } from '../src/db/embedded-server.ts'
import { connect, type Db } from '../src/db/pool.ts'
import { makeMerchant } from './app-harness.ts'
import { emptyDatabase, testDatabase, waitFor } from './harness.ts'
import { credentialsIn, exchange, newPlace, type Place, type Run, startOn } from './processes.ts'

async function databaseOf(t: TestContext, { dataDir }: Place): Promise<Db> {
  const sql = connect((await findEmbeddedServer(dataDir))!, { maxConnections: 2 })
  t.after(() => sql.end({ timeout: 1 }))
  return sql
}

/** Keeps every token exchange waiting until it is let go. */
async function holdExchanges(sql: Db): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`lock table credentials in access exclusive mode`
    begun.resolve()
    await held.promise
  })
  await begun.promise
  return async () => {
    held.resolve()
    await holding
  }
}

async function waitForHeld(sql: Db): Promise<void> {
  await waitFor(async () => {
    const [row] = await sql`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting
  })
}

/** Stops a run with a request under way, and sees that the request is answered all the same. */
async function stopDuringRequest(t: TestContext, place: Place, run: Run, stop: () => void) {
  const url = await run.ready()
  const postmaster = place.postmaster()!
  const sql = await databaseOf(t, place)
  const letGo = await holdExchanges(sql)
  const underWay = exchange(url, credentialsIn(place.dataDir))
  await waitForHeld(sql)
  stop()
  await waitFor(() => run.stdout().includes('Stopping'))
  await assert.rejects(fetch(`${url}/healthz`), 'takes no more')
  await letGo()
  assert.equal((await underWay).status, 200)
  await sql.end({ timeout: 1 })
  assert.equal(await run.ended(), 0, run.stderr())
  assert.equal(run.stderr(), '')
  assert.equal(isAlive(postmaster), false)
  assert.equal(place.postmaster(), undefined)
}

test('SIGTERM and Ctrl-C let what is under way finish and leave nothing running', async (t) => {
  const place = await newPlace(t)
  const asked = place.start()
  await stopDuringRequest(t, place, asked, () => asked.child.kill('SIGTERM'))
  // A terminal sends Ctrl-C to all processes of the group, and an impatient person twice.
  const typed = place.start({ detached: true })
  await stopDuringRequest(t, place, typed, () => {
    process.kill(-typed.pid, 'SIGINT')
    process.kill(-typed.pid, 'SIGINT')
  })
})

test('a stop during the start leaves nothing running either, whenever it comes', async (t) => {
  const place = await newPlace(t)
  const first = place.start()
  await waitFor(() => first.stdout().includes('Preparing'), { timeoutMs: 20_000 })
  first.child.kill('SIGTERM')
  assert.equal(await first.ended(), 0, first.stderr())
  assert.equal(place.postmaster(), undefined)
  const second = place.start()
  await waitFor(() => place.postmaster(), { timeoutMs: 20_000 })
  second.child.kill('SIGTERM')
  assert.equal(await second.ended(), 0, second.stderr())
  assert.equal(place.postmaster(), undefined)
})

test('a stop that takes too long ends with a failure, not never', async (t) => {
  const { url, sql } = await testDatabase(t)
  const { sandbox } = await makeMerchant(sql)
  const run = startOn(t, url, { env: { MALIPO_SHUTDOWN_TIMEOUT_MS: '300' } })
  const address = await run.ready()
  const letGo = await holdExchanges(sql)
  const keys = { publicKey: sandbox.credential.publicKey, apiKey: sandbox.apiKey }
  const cut = assert.rejects(exchange(address, keys))
  await waitForHeld(sql)
  run.child.kill('SIGTERM')
  assert.equal(await run.ended(), 1)
  assert.match(run.stderr(), /did not end in time/)
  await cut
  await letGo()
})

test('the roles can be apart: one serves the API, the other does the work', async (t) => {
  const { url, sql } = await testDatabase(t)
  const [api, worker] = ['api', 'worker'].map((role) => startOn(t, url, { args: ['--role', role] }))
  const [apiUrl, workerUrl] = await Promise.all([api!.ready(), worker!.ready()])
  const statusOf = async (address: string) => (await fetch(address)).status
  for (const base of [apiUrl, workerUrl]) {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      assert.equal(await statusOf(base + path), 200, path)
    }
  }
  for (const path of ['/', '/docs/', '/openapi.json']) {
    assert.equal(await statusOf(apiUrl + path), 200, path)
    assert.equal(await statusOf(workerUrl + path), 404, path)
  }
  assert.equal(await statusOf(`${apiUrl}/api/b2b/users`), 401)
  assert.equal(await statusOf(`${workerUrl}/api/b2b/users`), 404)
  const [merchants] = await sql`select count(*)::int as made from merchants`
  assert.equal(merchants?.made, 0, 'no demo on a database somebody named')
  for (const run of [api!, worker!]) {
    run.child.kill('SIGTERM')
    assert.equal(await run.ended(), 0, run.stderr())
  }
})

test('twenty processes that start at once on an empty database all come up on one schema', async (t) => {
  const { url, sql } = await emptyDatabase(t)
  const migrated = (await testDatabase(t)).sql
  const beganMs = Date.now()
  const runs = Array.from({ length: 20 }, () => startOn(t, url))
  const urls = await Promise.all(runs.map((run) => run.ready()))
  t.diagnostic(`all were ready after ${Date.now() - beganMs} ms`)
  assert.equal(new Set(urls).size, runs.length)
  const migrations = (db: Db) =>
    db`select version, checksum from schema_migrations order by version`
  assert.deepEqual([...(await migrations(sql))], [...(await migrations(migrated))])
  // Twenty at once leave each other little time: one may be late with an answer to itself.
  for (const address of urls) {
    await waitFor(async () => (await fetch(`${address}/readyz`)).status === 200)
  }
  for (const { child } of runs) child.kill('SIGTERM')
  const codes = await Promise.all(runs.map((run) => run.ended()))
  assert.deepEqual([...new Set(codes)], [0])
})
