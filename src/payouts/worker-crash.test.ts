import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { TestNode } from '../../test/app-harness.ts'
import { waitFor } from '../../test/harness.ts'
import {
  arrivalsOf,
  assertAllSettled,
  balanceOf,
  findingsOf,
  openWorld,
  payoutTo,
  recordOf,
  toldOf,
  type World,
} from '../../test/payout-world.ts'
import type { Rail } from '../rails/rail.ts'
import { handleCallbacks } from './callbacks.ts'
import { orderOf } from './payout.ts'
import { claimDue } from './store.ts'
import { attendDue } from './worker.ts'

const leaseMs = 60_000
const never = new AbortController().signal

async function claim({ parts, clock }: World) {
  const claimed = await claimDue(parts.db, {
    ...{ rails: ['sandbox'], nowMs: clock.now(), leaseMs, limit: 10 },
  })
  assert.equal(claimed.length, 1)
  return claimed[0]!
}

const message = (key: string, kind: string) => ({
  ...{ key, direction: 'payout', kind, amount: '100000', currency: 'KES', reference: 'SBX-1' },
})

/** Does a part of the way of a payout, and then no more, as a process that is killed there. */
const deaths: Record<string, (world: World, rail: Rail, id: string) => Promise<void>> = {
  'before it is claimed': async () => {},
  'after the claim, before it is sent': async (world) => {
    await claim(world)
  },
  'after it is sent, before anything is written': async (world, rail) => {
    const { payout } = await claim(world)
    await rail.payouts!.create(orderOf(payout), never)
  },
  'after a lookup, before its answer is written': async (world, rail) => {
    await world.settle()
    world.clock.advance(1000)
    const { payout } = await claim(world)
    await rail.payouts!.lookup(orderOf(payout), never)
  },
  'after a callback is stored, before it is handled': async (world, _, id) => {
    await world.settle()
    await world.receive(message(id, 'succeeded'))
  },
  'after the result is committed, before the callback is marked': async (world, _, id) => {
    await world.settle()
    await world.receive(message(id, 'succeeded'))
    await handleCallbacks(world.parts)
    await world.db`update rail_callbacks set handled_at = null, finding = null`
  },
}

/** What a process that is started afterwards does. */
async function finish(world: World, fresh: TestNode): Promise<void> {
  world.clock.advance(leaseMs)
  await attendDue(fresh.payouts.parts)
  await handleCallbacks(fresh.payouts.parts)
  await world.drive(5000)
}

const world = await openWorld({ after })
const restarted = await world.join()

for (const [moment, die] of Object.entries(deaths)) {
  test(`a worker killed ${moment} changes nothing about the end`, async () => {
    const before = await balanceOf(world)
    const id = await world.paid()
    await die(world, world.routing.byName('sandbox')!, id)
    await finish(world, restarted)
    assert.equal((await recordOf(world, id)).state, 'succeeded')
    const { sandbox } = await arrivalsOf(world, id)
    assert.ok(sandbox !== undefined, 'the rail has it')
    assert.deepEqual(await balanceOf(world), { available: before.available - 100_000n, held: 0n })
    assert.deepEqual(await toldOf(world, id), [
      '1 transaction_created pending',
      '2 transaction_updated successful',
    ])
    for (const finding of await findingsOf(world, id)) assert.match(finding!, /applied|repeated/)
    await assertAllSettled(world)
  })
}

type Stuck = { world: World; reached: () => boolean; release: () => void }

/** A rail that, the first time it is sent something, takes it or not and then hangs. */
async function stuckRail(t: TestContext, takes: boolean): Promise<Stuck> {
  let calls = 0
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const around = (rail: Rail): Rail => ({
    ...rail,
    payouts: {
      ...rail.payouts!,
      async create(order, signal) {
        if (++calls > 1) return rail.payouts!.create(order, signal)
        if (takes) await rail.payouts!.create(order, signal)
        await held
        return { kind: 'unavailable', said: 'too late' }
      },
    },
  })
  const world = await openWorld(t, { rails: [{ name: 'sandbox', faults: {}, around }] })
  return { world, reached: () => calls > 0, release }
}

for (const takes of [true, false]) {
  test(`a worker that hangs in the rail is replaced, and what it hears late is not believed (${
    takes ? 'taken' : 'not taken'
  })`, async (t) => {
    const { world, reached, release } = await stuckRail(t, takes)
    const id = await world.paid()
    const hanging = attendDue(world.parts)
    await waitFor(reached)
    await finish(world, await world.join())
    assert.equal((await recordOf(world, id)).state, 'succeeded')
    release()
    await hanging
    await world.drive(60_000, 10_000)
    assert.equal((await recordOf(world, id)).state, 'succeeded')
    assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
    await assertAllSettled(world)
  })
}

test('a worker that slept through its lease does not send', async () => {
  const { timeoutMs } = world.routing.byName('sandbox')!.limits
  const id = await world.paid()
  // The lease leaves no time for a whole call.
  assert.equal(await attendDue(world.parts, timeoutMs - 1), 1)
  assert.deepEqual(await arrivalsOf(world, id), {})
  assert.equal((await recordOf(world, id)).state, 'submitting')
  world.clock.advance(timeoutMs)
  await world.drive(3000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.deepEqual(await arrivalsOf(world, id), { sandbox: 1 })
  await assertAllSettled(world)
})

test('what a rail said of one attempt is not believed of the next', async (t) => {
  const first: { timeout?: 'before taking' } = { timeout: 'before taking' }
  let release: (() => void) | undefined
  let lookups = 0
  const around = (rail: Rail): Rail => ({
    ...rail,
    payouts: {
      ...rail.payouts!,
      async lookup(order, signal) {
        const outcome = await rail.payouts!.lookup(order, signal)
        if (++lookups > 1) return outcome
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return outcome
      },
    },
  })
  const second = { timeout: 'after taking', callbacks: 'none' } as const
  const rails = [
    { name: 'first', faults: first, around },
    { name: 'second', faults: second },
  ]
  const world = await openWorld(t, { rails })
  const id = await world.paid(payoutTo('000'))
  await world.settle()
  // A reader hears "never heard of it" from the first rail, and is slow to say so.
  const reading = world.read(id)
  await waitFor(() => release)
  await world.drive(1000)
  const passedOn = await recordOf(world, id)
  assert.deepEqual([passedOn.rail, passedOn.state], ['second', 'unclear'])
  delete first.timeout
  release!()
  await reading
  const { rail, state } = await recordOf(world, id)
  assert.deepEqual([rail, state], ['second', 'unclear'])
  await world.drive(5000)
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.deepEqual(await arrivalsOf(world, id), { second: 1 })
  await assertAllSettled(world)
})
