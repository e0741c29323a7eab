import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { openTill, startChargeWorld, storyOf, type Till } from '../../test/charge-world.ts'
import { handleChargeCallbacks } from './callbacks.ts'
import { applyHeard } from './outcomes.ts'
import { attemptOf } from './send.ts'
import { readCharge } from './store.ts'
import { attendDueCharges } from './worker.ts'

const world = await startChargeWorld({ after })
const { charges, payouts } = world
const lifetimeMs = 2 * 3_600_000

type Account = { accountNumber: string } & Record<string, unknown>

async function open(till: Till, fields: object = {}): Promise<{ id: string; account: Account }> {
  const { status, text, body } = await till.bankTransfer(fields)
  assert.equal(status, 200, text)
  const data = body.data as { transactionId: string; virtualAccount: Account }
  return { id: data.transactionId, account: data.virtualAccount }
}

async function pay(till: Till, { accountNumber }: Account, amount: number): Promise<void> {
  const path = '/utilities/simulate-bank-transfer'
  const { status, text } = await till.call('POST', path, { accountNumber, amount })
  assert.equal(status, 200, text)
}

test('the account is told with all its fields and lives two hours', async () => {
  const till = await openTill(world)
  const { account } = await open(till, { amount: 20_000.5 })
  const { accountNumber, createdAt, expiresAt, ...rest } = account
  assert.match(accountNumber, /^\d{10}$/)
  assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(createdAt)), lifetimeMs)
  assert.deepEqual(rest, {
    permanent: false,
    bankName: 'Malipo Sandbox Bank',
    note: 'Transfer the exact amount to this account before it expires.',
    amount: '20000.50',
    bankLogo: 'http://localhost/bank.svg',
  })
  const logo = await world.send({ method: 'GET', url: '/bank.svg' })
  assert.deepEqual([logo.status, logo.headers['content-type']], [200, 'image/svg+xml'])
})

test('the exact amount settles the charge, in NGN and in KES', async () => {
  const till = await openTill(world)
  for (const [currency, country] of [
    ['NGN', 'NG'],
    ['KES', 'KE'],
  ] as const) {
    const before = await till.balance(currency, country)
    const { id, account } = await open(till, { currency })
    await pay(till, account, 20_000)
    await world.work()
    const { state, transfers, told, suspense } = await storyOf(world, id)
    assert.deepEqual([state, transfers], ['succeeded', [`collected 2000000 ${currency}`]])
    assert.deepEqual([told, suspense], [['pending', 'successful'], []])
    assert.equal((await till.balance(currency, country)) - before, 2_000_000n)
  }
})

test('less, more and a second transfer are in suspense, and the exact one still settles', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  for (const amount of [19_999.99, 20_000.01, 20_000, 20_000]) {
    await pay(till, account, amount)
    await world.pass(1000)
  }
  const { state, transfers, suspense } = await storyOf(world, id)
  assert.deepEqual([state, transfers], ['succeeded', ['collected 2000000 NGN']])
  assert.deepEqual(suspense, [
    '1999999 It is less than the charge.',
    '2000001 It is more than the charge.',
    '2000000 It came after the charge had been paid.',
  ])
  assert.equal((await till.read(id)).status, 'SUCCESSFUL')
})

test('two exact transfers at the same moment: one settles, the other is in suspense', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  await Promise.all([pay(till, account, 20_000), pay(till, account, 20_000)])
  await Promise.all([handleChargeCallbacks(charges.parts), handleChargeCallbacks(charges.parts)])
  await world.work()
  const { transfers, suspense } = await storyOf(world, id)
  assert.deepEqual(transfers, ['collected 2000000 NGN'])
  assert.equal(suspense.length, 1)
})

test('one arrival read by several workers at once settles, and is not in suspense too', async () => {
  const till = await openTill(world)
  for (let turn = 0; turn < 8; turn++) {
    const { id, account } = await open(till)
    await pay(till, account, 20_000)
    await Promise.all(Array.from({ length: 3 }, () => handleChargeCallbacks(charges.parts)))
    const { transfers, suspense } = await storyOf(world, id)
    assert.deepEqual([transfers, suspense], [['collected 2000000 NGN'], []])
  }
})

test('the settlement itself ends the news of it, so that a crash repeats nothing', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  await pay(till, account, 20_000)
  const [waiting] = await world.db<{ id: string }[]>`
    select id from rail_callbacks where account_number = ${account.accountNumber}`
  const charge = (await readCharge(world.db, till.owner.slot, id))!
  // What a worker does before it dies, without the mark it makes at the end.
  const said = { kind: 'succeeded', said: 'paid' }
  const attempt = attemptOf(charges.parts, charge, 'callback', said, world.clock.now())
  const heard = { event: 'succeeded', attempt, callbackId: waiting!.id } as const
  assert.equal(await applyHeard(charges.parts, charge, heard), 'applied')
  await world.work()
  const { transfers, suspense } = await storyOf(world, id)
  assert.deepEqual([transfers, suspense], [['collected 2000000 NGN'], []])
})

test('news of the same arrival repeated, also with other words, adds nothing', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  const { accountNumber } = account
  const arrival = { accountNumber, currency: 'NGN' }
  const send = (key: string, amount: bigint) =>
    payouts.receiveCallback('sandbox', world.arrival({ ...arrival, id: key, amount }))
  await send(`${id} short`, 1n)
  await world.work()
  for (let turn = 0; turn < 3; turn++) {
    await send(`${id} exact`, 2_000_000n)
    await send(`${id} short`, 1n)
    if (turn === 1) await world.work()
  }
  await send(`${id} short`, 2n)
  await world.work()
  const { transfers, suspense } = await storyOf(world, id)
  assert.deepEqual(transfers, ['collected 2000000 NGN'])
  assert.deepEqual(suspense, ['1 It is less than the charge.'])
})

test('another currency settles nothing and is kept', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  const { accountNumber } = account
  const given = { id: `${id} other`, accountNumber, amount: 2_000_000n, currency: 'KES' }
  await payouts.receiveCallback('sandbox', world.arrival(given))
  await world.work()
  const { state, suspense } = await storyOf(world, id)
  assert.equal(state, 'processing')
  assert.deepEqual(suspense, ['2000000 It came in KES; the charge is in NGN.'])
})

test('money into an account nobody was given is kept with its story', async () => {
  const given = { id: 'stray', accountNumber: '1234500000', amount: 777n, currency: 'KES' }
  await payouts.receiveCallback('sandbox', world.arrival(given))
  await world.work()
  const rows = await world.db`
    select amount, story, environment, transaction_id, account_id from suspense_items
    where story like '%1234500000%'`
  assert.deepEqual(rows, [
    {
      amount: 777n,
      story: 'It came into the account 1234500000, which nobody was given.',
      ...{ environment: 'sandbox', transaction_id: null, account_id: null },
    },
  ])
})

test('unpaid it expires, and money that comes later is in suspense', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  await world.pass(lifetimeMs - 1000)
  assert.equal((await storyOf(world, id)).state, 'processing')
  await world.pass(1000)
  await pay(till, account, 20_000)
  await world.work()
  const { state, reason, told, suspense, transfers } = await storyOf(world, id)
  assert.deepEqual([state, reason], ['failed', 'expired'])
  assert.deepEqual(told, ['pending', 'failed'])
  assert.deepEqual([transfers, suspense], [[], ['2000000 It came after the account had expired.']])
})

test('late money is late also before anybody has noticed the expiry', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  world.clock.advance(lifetimeMs)
  await pay(till, account, 20_000)
  await handleChargeCallbacks(charges.parts)
  await world.work()
  const { reason, suspense } = await storyOf(world, id)
  assert.equal(reason, 'expired')
  assert.deepEqual(suspense, ['2000000 It came after the account had expired.'])
})

test('money that came in time counts, also where the service was down until the expiry', async () => {
  const till = await openTill(world)
  const { id, account } = await open(till)
  await world.pass(lifetimeMs - 1000)
  await pay(till, account, 20_000)
  // Nobody works until long after; then the expiry is looked at before the news is.
  world.clock.advance(lifetimeMs)
  await attendDueCharges(charges.parts)
  assert.equal((await storyOf(world, id)).state, 'processing')
  await world.pass(1000)
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 2000000 NGN'])
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
