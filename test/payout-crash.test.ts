import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../src/db/pool.ts'
import { tempFolder, testDatabase, waitFor } from './harness.ts'
import { assertBooks } from './payout-world.ts'
import { credentialsIn, exchange, type Run, startOn } from './processes.ts'

const kills = 6
const perRound = 50
const leaseMs = 60_000
const suffixes = ['000', '000', '000', '001', '005', '006', '007', '123']

type Service = { run: Run; url: string; token: string }

/** Starts the service on the database, and again on the same keys after each kill. */
async function serviceOn(t: TestContext, databaseUrl: string): Promise<() => Promise<Service>> {
  const dataDir = await tempFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const env = {
    ...{ MALIPO_DATA_DIR: dataDir, MALIPO_DEMO: 'on', MALIPO_DATABASE_CONNECTIONS: '6' },
    ...{ MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0' },
  }
  return async () => {
    const run = startOn(t, databaseUrl, { env })
    const url = await run.ready()
    const { body } = await exchange(url, credentialsIn(dataDir))
    return { run, url, token: String(body.token) }
  }
}

/** Sends a payout; true when it is known to be accepted, now or by an answer that was lost. */
async function pay({ url, token }: Service, reference: string): Promise<boolean> {
  const suffix = suffixes[randomInt(suffixes.length)]
  const body = {
    ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo' },
    externalReference: reference,
    payoutMethod: { accountName: 'Amina', accountNumber: `+254700000${suffix}` },
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const { status } = await fetch(`${url}/api/b2b/fiat/payout`, request)
    assert.ok([200, 409, 503].includes(status), `status ${status}`)
    return status !== 503
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return false
  }
}

/** The lease of a killed worker lasts a minute. It is moved, so that nobody waits for its end. */
async function endLeases(db: Db): Promise<number> {
  const passed = `${leaseMs} milliseconds`
  const ended = await db`
    update transactions set due_at = due_at - ${passed}::interval,
      leased_until = leased_until - ${passed}::interval
    where leased_until is not null
    returning id`
  return ended.length
}

test('a service that is killed again and again pays what it accepted, once each', async (t) => {
  const { url, sql: db } = await testDatabase(t)
  const start = await serviceOn(t, url)
  const references = Array.from({ length: kills * perRound }, (_, index) => `crash-${index}`)
  let unsure: string[] = []
  let leases = 0
  for (let round = 0; round < kills; round++) {
    const service = await start()
    const batch = [...unsure, ...references.slice(round * perRound, (round + 1) * perRound)]
    const sending = Promise.all(batch.map((reference) => pay(service, reference)))
    await delay(randomInt(100, 1500))
    service.run.child.kill('SIGKILL')
    await service.run.ended()
    const accepted = await sending
    unsure = batch.filter((_, index) => !accepted[index])
    leases += await endLeases(db)
  }
  t.diagnostic(`${leases} payouts were in the hands of a worker when it was killed`)
  const last = await start()
  for (const reference of unsure) assert.equal(await pay(last, reference), true)
  const [counted] = await db<{ count: number }[]>`
    select count(*)::int as count from transactions where kind = 'payout'`
  assert.equal(counted!.count, references.length)
  await waitFor(
    async () => (await db`select from transactions where status = 'pending'`).length === 0,
    { timeoutMs: 30_000, everyMs: 200 },
  )
  await assertOnceEach(db)
  last.run.child.kill('SIGTERM')
  assert.equal(await last.run.ended(), 0, last.run.stderr())
})

/** The rail's own book against our records, the ledger and what merchants are told. */
async function assertOnceEach(db: Db): Promise<void> {
  await assertBooks({ db })
  const wrong = await db`
    select t.id, t.status, t.account_number, b.behaviour, b.amount
    from transactions t left join sandbox_rail_book b on b.key = t.id::text
    where t.kind = 'payout' and (
      (t.status = 'successful') <> coalesce(b.behaviour not in ('decline', 'never know'), false)
      or b.amount <> t.amount
    )`
  assert.deepEqual(wrong, [], 'the rail and our records disagree')
  const [totals] = await db<{ held: bigint; strangers: number; told: number; kept: number }[]>`
    select (select sum(held)::bigint from wallets) as held,
      (select count(*)::int from sandbox_rail_book b
        where not exists (select from transactions t where t.id::text = b.key)) as strangers,
      (select count(*)::int from webhooks) as told,
      (select count(*)::int from transactions) as kept`
  assert.equal(totals!.held, 0n)
  assert.equal(totals!.strangers, 0, 'the rail has a payment that we do not know')
  assert.equal(totals!.told, totals!.kept * 2)
}
