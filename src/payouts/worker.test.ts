import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { silentLog } from '../../test/app-harness.ts'
import { waitFor } from '../../test/harness.ts'
import {
  assertAllSettled,
  assertBooks,
  openWorld,
  payoutTo,
  type World,
} from '../../test/payout-world.ts'
import type { Rail, RailLimits } from '../rails/rail.ts'
import type { Faults } from '../rails/sandbox/rail.ts'
import { startPayoutWorker } from './worker.ts'

const everyMs = 10
/** Long enough for many turns of the loop. */
const quietMs = 200

type Busy = { world: World; started: () => number; most: () => number; release: () => void }

/** A rail that counts who is in it, and holds them until it is told to let go. */
async function busyRail(
  t: TestContext,
  limits: Partial<RailLimits>,
  faults: Faults,
): Promise<Busy> {
  let [started, inside, most, isOpen] = [0, 0, 0, false]
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = () => {
      isOpen = true
      resolve()
    }
  })
  const around = (rail: Rail): Rail => ({
    ...rail,
    payouts: {
      ...rail.payouts!,
      async create(order, signal) {
        started++
        most = Math.max(most, ++inside)
        if (!isOpen) await held
        inside--
        return rail.payouts!.create(order, signal)
      },
    },
  })
  const rails = [{ name: 'sandbox', faults, limits, around }]
  const world = await openWorld(t, { rails })
  return { world, started: () => started, most: () => most, release }
}

async function countIn(world: World, state: string): Promise<number> {
  return (await world.db`select from transactions where state = ${state}`).length
}

async function payMany(world: World, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => world.paid(payoutTo('000'))))
}

test('a rail is never asked more at once, nor more in a second, than it allows', async (t) => {
  const limits = { concurrency: 3, perSecond: 10 }
  const { world, started, most, release } = await busyRail(t, limits, { callbacks: 'none' })
  await payMany(world, 14)
  const loop = startPayoutWorker(world.parts, silentLog, { everyMs })
  await waitFor(() => started() === 3)
  await delay(quietMs)
  assert.equal(started(), 3)
  assert.equal(await countIn(world, 'accepted'), 11, 'what is not sent yet is not claimed either')
  release()
  await waitFor(() => started() === 10)
  await delay(quietMs)
  assert.equal(started(), 10, 'the clock stands still')
  world.clock.advance(400)
  await waitFor(() => started() === 14)
  assert.equal(most(), 3)
  for (let seconds = 0; seconds < 6; seconds++) {
    world.clock.advance(1000)
    await delay(quietMs / 2)
  }
  await waitFor(async () => (await countIn(world, 'succeeded')) === 14)
  await loop.stop()
  await assertAllSettled(world)
})

test('payouts wait outside while a rail is down, and go on when it is back', async (t) => {
  const faults: Faults = { outage: true, callbacks: 'none' }
  const limits = { concurrency: 2, perSecond: 100 }
  const { world, started, release } = await busyRail(t, limits, faults)
  release()
  await payMany(world, 20)
  const loop = startPayoutWorker(world.parts, silentLog, { everyMs })
  await waitFor(() => started() >= 5)
  await delay(quietMs)
  const refused = started()
  assert.ok(refused <= 6, `${refused} were sent to a rail that is down`)
  assert.equal(await countIn(world, 'accepted'), 20)
  world.clock.advance(10_000)
  await waitFor(() => started() === refused + 1)
  await delay(quietMs)
  assert.equal(started(), refused + 1, 'one goes first')
  faults.outage = false
  for (let seconds = 0; seconds < 20; seconds++) {
    world.clock.advance(1000)
    await delay(quietMs / 4)
  }
  await waitFor(async () => (await countIn(world, 'succeeded')) === 20)
  await loop.stop()
  await assertAllSettled(world)
})

test('a stop waits for what is being sent, and claims no more', async (t) => {
  const { world, started, release } = await busyRail(t, { concurrency: 2 }, {})
  await payMany(world, 5)
  const loop = startPayoutWorker(world.parts, silentLog, { everyMs })
  await waitFor(() => started() === 2)
  const stopping = loop.stop()
  release()
  await stopping
  assert.equal(await countIn(world, 'submitted'), 2)
  assert.equal(await countIn(world, 'accepted'), 3)
  assert.equal(started(), 2)
  await assertBooks(world)
})
