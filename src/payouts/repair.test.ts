import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  arrivalsOf,
  assertAllSettled,
  attemptsOf,
  openWorld,
  recordOf,
  type World,
} from '../../test/payout-world.ts'
import type { Rail } from '../rails/rail.ts'
import type { Faults } from '../rails/sandbox/rail.ts'
import { claimDue } from './store.ts'

const leaseMs = 60_000

async function unclearPayout(t: TestContext, around?: (rail: Rail) => Rail) {
  const faults: Faults = { timeout: 'after taking', callbacks: 'none' }
  const rails = [{ name: 'sandbox', faults, ...(around ? { around } : {}) }]
  const world = await openWorld(t, { rails })
  const id = await world.paid()
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'unclear')
  return { world, id, faults }
}

async function lookupsOf(world: World, id: string): Promise<number> {
  return (await attemptsOf(world, id)).filter((line) => line.includes('lookup')).length
}

test('a reader of an unclear payout sees what the rail knows', async (t) => {
  const { world, id } = await unclearPayout(t)
  world.clock.advance(1000)
  const { status, providerReference } = await world.read(id)
  assert.equal(status, 'SUCCESSFUL')
  assert.match(String(providerReference), /^SBX-/)
  assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
  await assertAllSettled(world)
})

test('the rail is asked once in a few seconds, however many read', async (t) => {
  const { world, id, faults } = await unclearPayout(t)
  faults.outage = true
  await Promise.all(Array.from({ length: 20 }, () => world.read(id)))
  await world.read(id)
  assert.equal(await lookupsOf(world, id), 1)
  world.clock.advance(3001)
  await world.read(id)
  assert.equal(await lookupsOf(world, id), 2)
})

test('readers do not slow down the worker', async (t) => {
  const { world, id, faults } = await unclearPayout(t)
  faults.outage = true
  for (let reads = 0; reads < 10; reads++) {
    await world.read(id)
    world.clock.advance(4000)
  }
  const { dueAt } = await recordOf(world, id)
  assert.ok(dueAt!.getTime() <= world.clock.now(), 'it is asked about as early as ever')
  faults.outage = false
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'succeeded')
})

test('a read waits about two seconds for a rail that hangs, and not longer', async (t) => {
  const around = (rail: Rail): Rail => ({
    ...rail,
    // It does not listen when it is told to give up.
    payouts: { ...rail.payouts!, lookup: () => new Promise(() => {}) },
  })
  const { world, id } = await unclearPayout(t, around)
  const startMs = performance.now()
  assert.equal((await world.read(id)).status, 'PENDING')
  const tookMs = performance.now() - startMs
  assert.ok(tookMs > 1500 && tookMs < 4000, `${tookMs} ms`)
  assert.equal((await attemptsOf(world, id)).at(-1), 'sandbox lookup unclear')
})

test('a payout that is being sent is left alone until the lease of its worker ends', async (t) => {
  const world = await openWorld(t, { rails: [{ name: 'sandbox', faults: { callbacks: 'none' } }] })
  const id = await world.paid()
  const nowMs = world.clock.now()
  await claimDue(world.parts.db, { rails: ['sandbox'], nowMs, leaseMs, limit: 1 })
  assert.equal((await world.read(id)).status, 'PENDING')
  assert.equal(await lookupsOf(world, id), 0)
  world.clock.advance(leaseMs)
  // Its worker is gone: the rail is asked, says it never knew it, and it goes out anew.
  assert.equal((await world.read(id)).status, 'PENDING')
  assert.equal(await lookupsOf(world, id), 1)
  assert.equal((await recordOf(world, id)).state, 'accepted')
  await world.drive(2000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
  await assertAllSettled(world)
})
