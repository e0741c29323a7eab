import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertAllSettled,
  balanceOf,
  findingsOf,
  houseBalance,
  openWorld,
  payoutTo,
  recordOf,
  setFeePlan,
  type World,
} from '../../test/payout-world.ts'
import { handleCallbacks } from './callbacks.ts'

const news = (key: string, kind: string) => ({
  ...{ key, kind, direction: 'payout', amount: '100000', currency: 'KES', reference: 'SBX-1' },
})

async function reversalsOf({ db }: World, payoutId: string) {
  return await db<Record<string, unknown>[]>`
    select t.id, t.status, t.amount, t.wallet_amount as "walletAmount", t.fee, w.event,
      w.sequence, w.data ->> 'type' as type, w.data ->> 'status' as told,
      w.data ->> 'linkedTransactionId' as linked
    from transactions t join webhooks w on w.slot = t.slot and w.transaction_id = t.id
    where t.kind = 'reversal' and t.linked_id = ${payoutId}`
}

for (const debitCurrency of ['KES', 'UGX']) {
  test(`a payout from ${debitCurrency} that the rail gives back becomes one linked deposit`, async (t) => {
    const world = await openWorld(t)
    await setFeePlan(world, [{ kind: 'payout', percentBasisPoints: 100, fixedMinor: 0 }])
    const country = debitCurrency === 'KES' ? 'KE' : 'UG'
    const before = await balanceOf(world, debitCurrency, country)
    const id = await world.paid(payoutTo('000', { debitCurrency }))
    await world.drive(2000)
    const paid = await balanceOf(world, debitCurrency, country)
    const fee = await houseBalance(world, 'fees', debitCurrency)
    assert.ok(fee > 0n)
    for (let times = 0; times < 3; times++) {
      await world.receive(news(id, 'reversed'))
      world.clock.advance(1)
    }
    await world.settle()
    const [paidOnce, ...reversed] = await findingsOf(world, id)
    assert.equal(paidOnce, 'applied')
    assert.deepEqual(reversed.sort(), ['applied', 'repeated', 'repeated'], 'whichever was first')
    assert.equal((await recordOf(world, id)).state, 'succeeded', 'for it was')
    const back = await balanceOf(world, debitCurrency, country)
    assert.deepEqual(back, { available: before.available - fee, held: 0n })
    const walletAmount = back.available - paid.available
    const [reversal, ...others] = await reversalsOf(world, id)
    assert.deepEqual(others, [])
    const { id: reversalId, ...told } = reversal!
    assert.deepEqual(told, {
      ...{ status: 'successful', amount: 100_000n, walletAmount, fee: 0n, sequence: 1 },
      ...{ event: 'transaction_created', type: 'deposit', told: 'successful', linked: id },
    })
    assert.equal((await world.read(String(reversalId))).type, 'deposit')
    for (const currency of ['KES', 'UGX']) {
      assert.equal(await houseBalance(world, 'fx', currency), 0n)
      assert.equal(await houseBalance(world, 'rail:sandbox', currency), 0n)
    }
    await assertAllSettled(world)
  })
}

test('a reversal that overtakes the news of the payment waits for it', async (t) => {
  const world = await openWorld(t)
  const before = await balanceOf(world)
  const id = await world.paid(payoutTo('003'))
  await world.settle()
  await world.receive(news(id, 'reversed'))
  await world.settle()
  assert.deepEqual(await findingsOf(world, id), [null])
  world.clock.advance(1)
  await world.receive(news(id, 'succeeded'))
  await world.settle()
  assert.deepEqual(await findingsOf(world, id), ['applied', 'applied'])
  assert.equal((await reversalsOf(world, id)).length, 1)
  assert.deepEqual(await balanceOf(world), before)
  await assertAllSettled(world)
})

test('what was never paid cannot be given back', async (t) => {
  const world = await openWorld(t)
  const before = await balanceOf(world)
  const id = await world.paid(payoutTo('001'))
  await world.drive(1000)
  await world.receive(news(id, 'reversed'))
  await world.settle()
  assert.match(String((await findingsOf(world, id))[1]), /^contradiction/)
  assert.deepEqual(await reversalsOf(world, id), [])
  assert.deepEqual(await balanceOf(world), before)
})

test('two nodes that hear of a reversal at once make one deposit of it', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  const ids = await Promise.all(Array.from({ length: 20 }, () => world.paid()))
  await world.drive(1000)
  for (const id of ids) await world.receive(news(id, 'reversed'))
  await Promise.all([handleCallbacks(world.parts), handleCallbacks(other.payouts.parts)])
  await world.settle()
  for (const id of ids) assert.equal((await reversalsOf(world, id)).length, 1)
  await assertAllSettled(world)
})

test('a reference of the merchant that looks like that of a reversal does not swallow it', async (t) => {
  const world = await openWorld(t)
  const id = await world.paid()
  await world.drive(1000)
  await world.paid(payoutTo('000', { externalReference: `reversal-${id}` }))
  await world.drive(1000)
  await world.receive(news(id, 'reversed'))
  await world.settle()
  const findings = await findingsOf(world, id)
  assert.match(String(findings.at(-1)), /^fault: /, 'an operator sees it')
  await assertAllSettled(world)
})
