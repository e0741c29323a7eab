import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  arrivalsOf,
  assertAllSettled,
  attemptsOf,
  balanceOf,
  houseBalance,
  openWorld,
  payoutTo,
  recordOf,
  type World,
} from '../../test/payout-world.ts'
import type { RailRoute } from '../rails/rail.ts'
import type { Faults } from '../rails/sandbox/rail.ts'
import { waitForRailMs } from './outcomes.ts'

type TwoRails = { world: World; first: Faults; second: Faults }

async function twoRails(t: TestContext): Promise<TwoRails> {
  const [first, second]: Faults[] = [{}, {}]
  const rails = [
    { name: 'first', faults: first! },
    { name: 'second', faults: second! },
  ]
  return { world: await openWorld(t, { rails }), first: first!, second: second! }
}

test('a rail in outage is passed over: the next one pays', async (t) => {
  const { world, first } = await twoRails(t)
  first.outage = true
  const id = await world.paid()
  await world.drive(1000)
  const { state, rail } = await recordOf(world, id)
  assert.deepEqual({ state, rail }, { state: 'succeeded', rail: 'second' })
  assert.deepEqual(await attemptsOf(world, id), [
    'first submit unavailable',
    'second submit accepted',
    'second callback succeeded',
  ])
  assert.deepEqual(await arrivalsOf(world, id), { second: 1 })
  assert.equal(await houseBalance(world, 'rail:second', 'KES'), 100_000n)
  assert.equal(await houseBalance(world, 'rail:first', 'KES'), 0n)
  await assertAllSettled(world)
})

test('an unclear answer is never passed on to another rail', async (t) => {
  const { world, first } = await twoRails(t)
  Object.assign(first, { timeout: 'after taking', callbacks: 'none' })
  const id = await world.paid()
  await world.settle()
  first.outage = true
  await world.drive(3_600_000, 120_000)
  assert.equal((await recordOf(world, id)).state, 'unclear')
  assert.deepEqual(await arrivalsOf(world, id), { first: 1 })
  first.outage = false
  await world.drive(900_000, 60_000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.deepEqual(await arrivalsOf(world, id), { first: 1 })
  await assertAllSettled(world)
})

test('a rail that says it never knew the payout makes room for the next', async (t) => {
  const { world, first } = await twoRails(t)
  first.timeout = 'before taking'
  const id = await world.paid()
  await world.drive(3000)
  assert.deepEqual(await attemptsOf(world, id), [
    'first submit unclear',
    'first lookup unknown',
    'second submit accepted',
    'second callback succeeded',
  ])
  assert.deepEqual(await arrivalsOf(world, id), { second: 1 })
  await assertAllSettled(world)
})

for (const back of ['first', 'second'] as const) {
  test(`with both rails down payouts wait, and are paid when the ${back} is back`, async (t) => {
    const { world, ...rails } = await twoRails(t)
    rails.first.outage = true
    rails.second.outage = true
    const id = await world.paid()
    await world.drive(60_000, 5000)
    const { state, submits } = await recordOf(world, id)
    assert.deepEqual({ state, submits }, { state: 'accepted', submits: 0 })
    assert.equal((await balanceOf(world)).held, 100_000n)
    rails[back].outage = false
    await world.drive(10_000, 1000)
    assert.equal((await recordOf(world, id)).state, 'succeeded')
    assert.deepEqual(await arrivalsOf(world, id), { [back]: 1 })
    await assertAllSettled(world)
  })
}

test('a payout that no rail could take for a day returns in full', async (t) => {
  const { world, ...rails } = await twoRails(t)
  rails.first.outage = true
  rails.second.outage = true
  const before = await balanceOf(world)
  const id = await world.paid()
  await world.drive(waitForRailMs - 1000, waitForRailMs / 24)
  assert.equal((await recordOf(world, id)).status, 'pending')
  await world.drive(10_000)
  const { state, failureReason } = await recordOf(world, id)
  assert.deepEqual([state, failureReason], ['failed', 'No rail could take the payment.'])
  assert.deepEqual(await balanceOf(world), before)
  await assertAllSettled(world)
})

test('rails that all deny every knowledge of it end the payout after a few tries', async (t) => {
  const { world, ...rails } = await twoRails(t)
  rails.first.timeout = 'before taking'
  rails.second.timeout = 'before taking'
  const id = await world.paid()
  await world.drive(30_000)
  const { state, submits } = await recordOf(world, id)
  assert.equal(state, 'failed')
  assert.ok(submits <= 4, `sent ${submits} times`)
  assert.deepEqual(await arrivalsOf(world, id), {})
  await assertAllSettled(world)
})

test('an amount goes to the rails whose limits allow it, and to no other', async (t) => {
  const faults: Faults = {}
  const second: Faults = {}
  const upTo = (maxMinor: bigint): RailRoute[] => [
    { direction: 'payout', method: 'momo', country: 'KE', currency: 'KES', minMinor: 1n, maxMinor },
  ]
  const world = await openWorld(t, {
    rails: [
      { name: 'small', faults, routes: upTo(50_000n) },
      { name: 'large', faults: second, routes: upTo(200_000n) },
    ],
  })
  const large = await world.paid(payoutTo('000', { amount: 1000 }))
  const small = await world.paid(payoutTo('000', { amount: 500 }))
  const refused = await world.pay(payoutTo('000', { amount: 2000.01 }))
  assert.equal(refused.body.errorCode, 'AMOUNT_OUT_OF_BOUNDS')
  await world.drive(1000)
  assert.deepEqual(await arrivalsOf(world, large), { large: 1 })
  assert.deepEqual(await arrivalsOf(world, small), { small: 1 })
  second.outage = true
  const waiting = await world.paid(payoutTo('000', { amount: 1500 }))
  await world.drive(6000)
  assert.equal((await recordOf(world, waiting)).rail, 'large')
})
