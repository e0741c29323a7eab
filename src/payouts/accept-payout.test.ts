import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../test/app-harness.ts'
import {
  assertAllSettled,
  assertBooks,
  balanceOf,
  leaveInWallet,
  openWorld,
  payoutTo,
  setFeePlan,
  type World,
} from '../../test/payout-world.ts'

function outcomes(answers: readonly Answer[]): Record<string, number> {
  const groups = Map.groupBy(answers, ({ status, body }) => `${status} ${body.errorCode ?? 'ok'}`)
  return Object.fromEntries([...groups].map(([key, group]) => [key, group.length]))
}

async function countRows(world: World): Promise<Record<string, number>> {
  const [row] = await world.db<Record<string, number>[]>`
    select (select count(*)::int from transactions) as payouts,
      (select count(*)::int from webhooks) as told,
      (select count(*)::int from transfers where step = 'accepted') as holds`
  return row!
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

test('of 500 payouts at once with one reference one is accepted, with one hold', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  const before = await balanceOf(world)
  const body = payoutTo('000')
  const answers = await Promise.all(
    times(500).map((index) => world.pay(body, { node: index % 2 ? other : world.node })),
  )
  assert.deepEqual(outcomes(answers), { '200 ok': 1, '409 E-API-D.S-28': 499 })
  assert.deepEqual(await countRows(world), { payouts: 1, told: 1, holds: 1 })
  assert.deepEqual(await balanceOf(world), {
    available: before.available - 100_000n,
    held: 100_000n,
  })
  await world.drive(2000)
  await assertAllSettled(world)
})

test('a reference that two nodes take at the same moment is refused to one, never an error', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  for (const debitCurrency of ['KES', 'UGX', 'TZS', 'NGN', 'USD', 'ZMW']) {
    const body = payoutTo('000')
    const debit =
      debitCurrency === 'USD' ? { debitCurrency, debitCountry: 'US' } : { debitCurrency }
    const key = `key of ${debitCurrency}`
    const answers = await Promise.all([
      world.pay(body, { headers: { 'idempotency-key': key } }),
      world.pay({ ...body, ...debit }, { node: other }),
      world.pay(payoutTo('000'), { node: other, headers: { 'idempotency-key': key } }),
    ])
    for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text)
    assert.ok(answers.some(({ status }) => status === 200))
  }
  await assertBooks(world)
})

test('a wallet that covers 300 of 1,000 payouts at once accepts exactly 300 and is empty', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  await setFeePlan(world, [{ kind: 'payout', percentBasisPoints: 0, fixedMinor: 5 }])
  await leaveInWallet(world, 300n * 1005n)
  const answers = await Promise.all(
    times(1000).map((index) =>
      world.pay(payoutTo('000', { amount: 10 }), { node: index % 3 ? other : world.node }),
    ),
  )
  assert.deepEqual(outcomes(answers), { '200 ok': 300, '422 INSUFFICIENT_FUNDS': 700 })
  assert.deepEqual(await balanceOf(world), { available: 0n, held: 300n * 1005n })
  assert.equal((await countRows(world)).payouts, 300)
  await world.drive(3000)
  assert.deepEqual(await balanceOf(world), { available: 0n, held: 0n })
  await assertAllSettled(world)
})

test('an identical request with the same key gets the same answer and moves nothing', async (t) => {
  const world = await openWorld(t)
  const body = payoutTo('000')
  const headers = { 'idempotency-key': 'a key' }
  const first = await world.pay(body, { headers })
  assert.equal(first.status, 200, first.text)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  const before = await countRows(world)
  const again = await world.pay(body, { headers })
  assert.equal(again.status, 200)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  await world.drive(2000)
  assert.equal((await world.pay(body, { headers })).text, first.text)
  assert.deepEqual(await countRows(world), { ...before, told: 2 })

  for (const other of [{ ...body, amount: 1001 }, payoutTo('000'), { ...body, amount: -1 }]) {
    const { status, body: refusal } = await world.pay(other, { headers })
    assert.deepEqual([status, refusal.errorCode], [409, 'IDEMPOTENCY_KEY_REUSED'])
  }
  const { body: refusal } = await world.pay(body, { headers: { 'idempotency-key': 'another' } })
  assert.equal(refusal.errorCode, 'E-API-D.S-28')
  assert.equal((await world.pay(body)).body.errorCode, 'E-API-D.S-28')
})

test('of 50 identical requests at once with one key all get the answer of the one payout', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  const body = payoutTo('000')
  const headers = { 'idempotency-key': 'fifty' }
  const answers = await Promise.all(
    times(50).map((index) => world.pay(body, { headers, node: index % 2 ? other : world.node })),
  )
  assert.deepEqual(outcomes(answers), { '200 ok': 50 })
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(answers.filter((answer) => answer.headers['idempotent-replayed']).length, 49)
  assert.equal((await countRows(world)).payouts, 1)
})

test('a replay is the answer of that time, whatever became of the beneficiary', async (t) => {
  const world = await openWorld(t)
  const { slot, id: accountId } = world.account
  const beneficiaryId = world.node.ids.next(slot)
  await world.db`insert into beneficiaries ${world.db({
    ...{ slot, id: beneficiaryId, account_id: accountId, type: 'payout', country: 'KE' },
    ...{ currency: 'KES', destination: 'MoMo', account_name: 'Amina Otieno' },
    ...{ account_number: '254700000000', created_at: new Date(), updated_at: new Date() },
  })}`
  const body = { amount: 50, externalReference: 'by-id', externalAccountId: beneficiaryId }
  const headers = { 'idempotency-key': 'kept' }
  const first = await world.pay(body, { headers })
  assert.equal(first.status, 200, first.text)
  await world.db`
    update beneficiaries set currency = 'UGX', country = 'UG' where id = ${beneficiaryId}`
  assert.equal((await world.pay(body, { headers })).text, first.text)
  await world.db`update beneficiaries set deleted_at = now() where id = ${beneficiaryId}`
  assert.equal((await world.pay(body, { headers })).text, first.text)
  assert.equal((await world.pay(body)).body.errorCode, 'E-API-D.S-28')
})
