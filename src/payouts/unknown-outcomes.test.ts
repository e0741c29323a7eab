import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  arrivalsOf,
  assertAllSettled,
  assertBooks,
  attemptsOf,
  balanceOf,
  openWorld,
  payoutTo,
  recordOf,
} from '../../test/payout-world.ts'
import type { Faults } from '../rails/sandbox/rail.ts'

const payouts = 20
const suffixes = Array.from({ length: payouts }, (_, index) => String(100 + index))

for (const callbacks of ['none', 'twice', 'wrong amount'] as const) {
  test(`a rail that takes and does not answer pays each once, callbacks: ${callbacks}`, async (t) => {
    const faults: Faults = { timeout: 'after taking', callbacks }
    const world = await openWorld(t, { rails: [{ name: 'sandbox', faults }] })
    const ids = await Promise.all(suffixes.map((suffix) => world.paid(payoutTo(suffix))))
    await world.drive(10_000)
    for (const id of ids) {
      assert.equal((await recordOf(world, id)).state, 'succeeded')
      assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
    }
    await assertAllSettled(world)
  })
}

test('a rail that never knew a payout is sent it again, and pays it once when it is well', async (t) => {
  const faults: Faults = { timeout: 'before taking' }
  const world = await openWorld(t, { rails: [{ name: 'sandbox', faults }] })
  const ids = await Promise.all(suffixes.map((suffix) => world.paid(payoutTo(suffix))))
  await world.settle()
  for (const id of ids) assert.equal((await recordOf(world, id)).state, 'unclear')
  delete faults.timeout
  await world.drive(10_000)
  for (const id of ids) {
    assert.equal((await recordOf(world, id)).state, 'succeeded')
    assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
  }
  await assertAllSettled(world)
})

test('a rail that never knows a payout gets three tries, then all of it returns', async (t) => {
  const faults: Faults = { timeout: 'before taking' }
  const world = await openWorld(t, { rails: [{ name: 'sandbox', faults }] })
  const before = await balanceOf(world)
  const ids = await Promise.all(suffixes.map((suffix) => world.paid(payoutTo(suffix))))
  await world.drive(10_000)
  for (const id of ids) {
    const { state, submits } = await recordOf(world, id)
    assert.deepEqual({ state, submits }, { state: 'failed', submits: 3 })
    assert.deepEqual(await arrivalsOf(world, id), {})
  }
  assert.deepEqual(await balanceOf(world), before)
  await assertAllSettled(world)
})

test('a lookup that fails is no answer: the payout stays held and is asked about again', async (t) => {
  const faults: Faults = { timeout: 'after taking', callbacks: 'none' }
  const world = await openWorld(t, { rails: [{ name: 'sandbox', faults }] })
  const id = await world.paid()
  await world.settle()
  faults.outage = true
  await world.drive(3_600_000, 60_000)
  const { state, status, dueAt } = await recordOf(world, id)
  assert.deepEqual({ state, status }, { state: 'unclear', status: 'pending' })
  assert.ok(dueAt!.getTime() - world.clock.now() <= 900_000, 'asked about at least this often')
  assert.equal((await balanceOf(world)).held, 100_000n)
  await assertBooks(world)
  faults.outage = false
  await world.drive(900_000, 60_000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.ok((await attemptsOf(world, id)).length < 20, 'the pauses grow')
  assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
})

test('"never heard of it" is believed only when nothing can be on its way any more', async (t) => {
  const faults: Faults = { timeout: 'before taking' }
  const unknownIsFinalAfterMs = 20_000
  const world = await openWorld(t, {
    rails: [
      {
        name: 'sandbox',
        faults,
        around: (rail) => ({ ...rail, promises: { keyIsUnique: false, unknownIsFinalAfterMs } }),
      },
    ],
  })
  const id = await world.paid()
  await world.drive(unknownIsFinalAfterMs - 1)
  const { state, submits } = await recordOf(world, id)
  assert.deepEqual({ state, submits }, { state: 'unclear', submits: 1 })
  delete faults.timeout
  await world.drive(20_000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
})

test('"never heard of it" is as old as the question, however late the answer is read', async (t) => {
  const faults: Faults = { timeout: 'before taking' }
  const unknownIsFinalAfterMs = 20_000
  let standsMs = unknownIsFinalAfterMs
  const world = await openWorld(t, {
    rails: [
      {
        name: 'sandbox',
        faults,
        around: (rail) => ({
          ...rail,
          promises: { keyIsUnique: true, unknownIsFinalAfterMs },
          payouts: {
            ...rail.payouts!,
            // The rail has answered, and the process that asked stands still.
            async lookup(order, signal) {
              const outcome = await rail.payouts!.lookup(order, signal)
              world.clock.advance(standsMs)
              standsMs = 0
              return outcome
            },
          },
        }),
      },
    ],
  })
  const id = await world.paid()
  await world.settle()
  world.clock.advance(1_000)
  await world.settle()
  const { state, submits } = await recordOf(world, id)
  assert.deepEqual({ state, submits }, { state: 'unclear', submits: 1 })
})
