import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileOf, longFile, makeActor, makeBatch, runBatches, statesOf } from '../../test/batches.ts'
import {
  assertAllSettled,
  assertBooks,
  leaveInWallet,
  openWorld,
  payoutTo,
  setFeePlan,
  type World,
  walletOf,
} from '../../test/payout-world.ts'
import { AppError } from '../errors.ts'
import type { BatchKey, BatchPayouts } from './batch.ts'
import { runStep } from './worker.ts'

const leaseMs = 60_000

async function submitted(t: TestContext, csv: string): Promise<{ world: World; key: BatchKey }> {
  const world = await openWorld(t)
  const actor = await makeActor(world)
  const { key } = await makeBatch(world, actor, csv)
  await world.node.batches.submit(key, actor, { skipInvalid: true })
  return { world, key }
}

/** The worker of a process whose payouts do something else on the way. */
const stepWith = ({ node }: World, accept: BatchPayouts['accept']) =>
  runStep({ ...node, payouts: { accept } })

test('every line ends as its payout does, and the counts say the same', async (t) => {
  const { world, key } = await submitted(
    t,
    fileOf([
      ['paid', '10', '000'],
      ['declined', '10', '001'],
      ['wrong', 'ten', '000'],
      ['', '10.50', '007'],
    ]),
  )
  await setFeePlan(world, [{ kind: 'payout', percentBasisPoints: 200, fixedMinor: 0 }])
  await runBatches(world)
  assert.deepEqual(await statesOf(world, key), [
    '2 successful',
    '3 failed',
    '4 invalid',
    '5 successful',
  ])
  const batch = await world.node.batches.read(key)
  assert.equal(batch.state, 'done')
  const { accepted, refused, successful, failed } = batch
  assert.deepEqual(
    { accepted, refused, successful, failed },
    { accepted: 3, refused: 0, successful: 2, failed: 1 },
  )
  const paid = await world.db<{ reference: string; amount: bigint; fee: bigint }[]>`
    select external_reference as reference, amount, fee from transactions order by amount, id`
  assert.deepEqual(paid, [
    { reference: 'paid', amount: 1000n, fee: 20n },
    { reference: 'declined', amount: 1000n, fee: 20n },
    { reference: `batch-${key.id}-5`, amount: 1050n, fee: 21n },
  ])
  await assertAllSettled(world)
})

test('refused lines keep their reason, and the result file tells it', async (t) => {
  const { world, key } = await submitted(t, longFile(5))
  await world.paid(payoutTo('000', { externalReference: 'long-1' }))
  await leaveInWallet(world, 3_000n)
  await runBatches(world)
  const lines = await world.node.batches.lines(key, { limit: 10 })
  assert.deepEqual(
    lines.map(({ line, state, errors }) => [line, state, ...errors.map((each) => each.message)]),
    [
      [2, 'successful'],
      [3, 'refused', 'External reference already used.'],
      [4, 'successful'],
      [5, 'successful'],
      [6, 'refused', 'The wallet does not hold enough for this.'],
    ],
  )
  const { refused, accepted, state } = await world.node.batches.read(key)
  assert.deepEqual({ refused, accepted, state }, { refused: 2, accepted: 3, state: 'done' })
  const { pieces } = await world.node.batches.result(key)
  const file = (await Array.fromAsync(pieces)).join('').split('\r\n')
  assert.equal(file.length, 7)
  assert.match(file[1]!, /^2,long-0,10\.00,KES,KE,MoMo,Amina Otieno,\+254700000000,,,,,,succ/)
  assert.match(file[2]!, /,refused,,External reference already used\.$/)
  await assertBooks(world)
})

test('a worker that dies after paying and before writing it down pays nothing twice', async (t) => {
  const { world, key } = await submitted(t, longFile(300))
  const { payouts, batches } = world.node
  const dying: BatchPayouts['accept'] = async (caller, request) => {
    await payouts.accept(caller, request)
    return await new Promise(() => {})
  }
  void stepWith(world, dying)
  for (;;) {
    const [row] = await world.db<{ n: number }[]>`select count(*)::int as n from transactions`
    if (row!.n === 256) break
    await delay(10)
  }
  assert.equal((await batches.read(key)).accepted, 0)
  assert.equal(await batches.step(), false, 'the lease holds')
  world.clock.advance(leaseMs)
  await runBatches(world)
  const { accepted, refused, successful, state } = await batches.read(key)
  assert.deepEqual(
    { accepted, refused, successful, state },
    { accepted: 300, refused: 0, successful: 300, state: 'done' },
  )
  const [row] = await world.db<{ n: number }[]>`select count(*)::int as n from transactions`
  assert.equal(row!.n, 300)
  await assertAllSettled(world)
})

test('a worker that wakes after its lease corrects a line refused meanwhile', async (t) => {
  const { world, key } = await submitted(t, longFile(1))
  const { payouts, batches } = world.node
  let goOn = () => {}
  const asleep = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const late = stepWith(world, async (caller, request) => {
    await asleep
    return await payouts.accept(caller, request)
  })
  await delay(50)
  world.clock.advance(leaseMs)
  await stepWith(world, async () => {
    throw new AppError('INSUFFICIENT_FUNDS')
  })
  await runBatches(world)
  assert.deepEqual(await statesOf(world, key), ['2 refused'])
  goOn()
  await late
  await runBatches(world)
  assert.deepEqual(await statesOf(world, key), ['2 successful'])
  const { accepted, refused, state } = await batches.read(key)
  assert.deepEqual({ accepted, refused, state }, { accepted: 1, refused: 0, state: 'done' })
})

test('a fault of ours leaves a line for later, and its neighbours are paid', async (t) => {
  const { world, key } = await submitted(t, longFile(3))
  const { payouts } = world.node
  let faults = 0
  const faulty: BatchPayouts['accept'] = async (caller, request) => {
    if (request.externalReference !== 'long-1') return await payouts.accept(caller, request)
    faults++
    throw faults === 1 ? new Error('a fault') : new AppError('SERVICE_UNAVAILABLE')
  }
  await stepWith(world, faulty)
  assert.deepEqual(await statesOf(world, key), ['2 accepted', '3 ready', '4 accepted'])
  assert.equal(await stepWith(world, faulty), false, 'it is not tried again at once')
  world.clock.advance(5_000)
  await stepWith(world, faulty)
  assert.equal(faults, 2)
  await runBatches(world)
  assert.deepEqual(await statesOf(world, key), ['2 successful', '3 successful', '4 successful'])
})

test('two nodes share the batches, and each line is paid once', async (t) => {
  const world = await openWorld(t)
  const other = await world.join()
  const actor = await makeActor(world)
  const keys: BatchKey[] = []
  for (const name of ['a', 'b', 'c']) {
    const { key } = await makeBatch(world, actor, longFile(600, name))
    await world.node.batches.submit(key, actor, { skipInvalid: false })
    keys.push(key)
  }
  const before = await walletOf(world)
  const work = async ({ batches }: typeof other) => {
    while (await batches.step());
  }
  await Promise.all([work(world.node), work(other)])
  await runBatches(world)
  for (const key of keys) {
    const { successful, state } = await world.node.batches.read(key)
    assert.deepEqual({ successful, state }, { successful: 600, state: 'done' })
  }
  const { available } = await walletOf(world)
  assert.equal(before.available - available, 3n * 600n * 1000n)
  await assertAllSettled(world)
})

test('a batch of 10,000 lines is checked and accepted with seconds of work', async (t) => {
  const world = await openWorld(t)
  const actor = await makeActor(world)
  const before = process.cpuUsage()
  const startMs = performance.now()
  const { key, batch } = await makeBatch(world, actor, longFile(10_000))
  const checkedMs = performance.now()
  assert.equal(batch.valid, 10_000)
  await world.node.batches.submit(key, actor, { skipInvalid: false })
  let steps = 0
  while ((await world.node.batches.read(key)).accepted < 10_000) {
    assert.ok(await world.node.batches.step())
    steps++
  }
  const acceptedMs = performance.now()
  assert.ok(steps <= 40, `it took ${steps} steps`)
  t.diagnostic(`checked in ${Math.round(checkedMs - startMs)} ms`)
  t.diagnostic(`accepted in ${Math.round(acceptedMs - checkedMs)} ms`)
  // Time that other work on the machine takes is not ours.
  const { user, system } = process.cpuUsage(before)
  const secondsOfWork = (user + system) / 1e6
  assert.ok(secondsOfWork < 12, `it took ${secondsOfWork} s of work`)
  await assertBooks(world)
})
