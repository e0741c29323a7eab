import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  fileOf,
  longFile,
  makeActor,
  makeBatch,
  runBatches,
  setLimits,
} from '../../test/batches.ts'
import { openWorld } from '../../test/payout-world.ts'
import type { BatchKey } from './batch.ts'

const world = await openWorld({ after })
const { batches } = world.node
const maker = await makeActor(world)
const second = await makeActor(world)
const all = { skipInvalid: true }
await setLimits(world, { KES: '50' })

let files = 0
/** Ten shillings a line. */
const make = async (lines: number): Promise<BatchKey> => {
  files++
  return (await makeBatch(world, maker, longFile(lines, `file-${files}`))).key
}
const stateOf = async (key: BatchKey) => (await batches.read(key)).state
const paidOf = async ({ id }: BatchKey) =>
  (await world.db`select from batch_lines where batch_id = ${id} and transaction_id is not null`)
    .length

test('a batch within the limit is paid when its maker submits it', async () => {
  const key = await make(5)
  const { state, needsApproval } = await batches.submit(key, maker, all)
  assert.deepEqual([state, needsApproval], ['running', false])
  await runBatches(world)
  assert.equal(await paidOf(key), 5)
})

test('a batch above the limit pays nothing before another person approves it', async () => {
  const key = await make(6)
  const { state, needsApproval } = await batches.submit(key, maker, all)
  assert.deepEqual([state, needsApproval], ['waiting_for_approval', true])
  await runBatches(world)
  assert.equal(await paidOf(key), 0)
  await assert.rejects(batches.approve(key, maker), { code: 'APPROVAL_BY_ANOTHER' })
  assert.equal(await stateOf(key), 'waiting_for_approval')
  const approved = await batches.approve(key, second)
  assert.equal(approved.state, 'running')
  assert.deepEqual(approved.approvedBy, { id: second.personId, name: second.name })
  await runBatches(world)
  assert.equal(await paidOf(key), 6)
})

test('a limit that is lifted later does not open what waits', async (t) => {
  t.after(() => setLimits(world, { KES: '50' }))
  const key = await make(6)
  await batches.submit(key, maker, all)
  await setLimits(world, {})
  await runBatches(world)
  assert.equal(await paidOf(key), 0)
  assert.equal((await batches.read(key)).needsApproval, true)
})

test('the database itself refuses an approval by the maker, and payment without one', async () => {
  const { id } = await make(6)
  const at = new Date()
  await assert.rejects(
    world.db`update batches set state = 'running', needs_approval = true, due_at = ${at}
      where id = ${id}`,
    { constraint: 'batches_approved_before_paid' },
  )
  await assert.rejects(
    world.db`update batches set state = 'running', needs_approval = true, due_at = ${at},
      approved_by = ${maker.personId} where id = ${id}`,
    { constraint: 'batches_approved_by_another' },
  )
})

test('of ten who approve at once one does, and it is on record', async () => {
  const key = await make(6)
  await batches.submit(key, maker, all)
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, () => batches.approve(key, second)),
  )
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
  const entries = await world.db<{ actor: string; action: string }[]>`
    select actor, action from audit_log where subject = ${key.id} order by id`
  assert.deepEqual(entries, [
    { actor: `person:${maker.personId}`, action: 'batch.create' },
    { actor: `person:${maker.personId}`, action: 'batch.submit' },
    { actor: `person:${second.personId}`, action: 'batch.approve' },
  ])
  await runBatches(world)
})

test('what is cancelled never pays, and what runs is not cancelled', async () => {
  const draft = await make(2)
  const waiting = await make(6)
  await batches.submit(waiting, maker, all)
  for (const key of [draft, waiting]) {
    assert.equal((await batches.cancel(key, second)).state, 'cancelled')
    for (const again of [
      () => batches.submit(key, maker, all),
      () => batches.approve(key, second),
      () => batches.cancel(key, second),
    ]) {
      await assert.rejects(again, { code: 'BATCH_STATE', message: /it is cancelled/ })
    }
  }
  await runBatches(world)
  assert.equal((await paidOf(draft)) + (await paidOf(waiting)), 0)
  const running = await make(2)
  await batches.submit(running, maker, all)
  await assert.rejects(batches.cancel(running, maker), { code: 'BATCH_STATE' })
  await runBatches(world)
  await assert.rejects(batches.cancel(running, maker), { message: /it is done/ })
})

test('of a submission and a cancellation at once only one happens', async () => {
  for (let round = 0; round < 10; round++) {
    const key = await make(1)
    const tries = await Promise.allSettled([
      batches.submit(key, maker, all),
      batches.cancel(key, second),
    ])
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
    await runBatches(world)
    assert.equal(await paidOf(key), (await stateOf(key)) === 'done' ? 1 : 0)
  }
})

test('lines that are wrong are left out only by somebody who says so', async () => {
  const csv = fileOf([
    ['mixed-1', '10', '000'],
    ['mixed-2', 'ten', '000'],
  ])
  const { key } = await makeBatch(world, maker, csv)
  await assert.rejects(batches.submit(key, maker, { skipInvalid: false }), {
    code: 'BATCH_HAS_ERRORS',
  })
  await batches.submit(key, maker, all)
  await runBatches(world)
  assert.equal(await paidOf(key), 1)
  const { key: hopeless } = await makeBatch(world, maker, fileOf([['bad', 'ten', '000']]))
  await assert.rejects(batches.submit(hopeless, maker, all), {
    code: 'BATCH_HAS_ERRORS',
    message: /No line/,
  })
})

test('a batch of another account is not found, whatever is asked', async () => {
  const own = await make(1)
  const strange = { ...own, accountId: world.node.ids.next(own.slot) }
  const unknown = { ...own, id: world.node.ids.next(own.slot) }
  for (const key of [strange, unknown, { ...own, id: 'nonsense' }]) {
    for (const ask of [
      () => batches.read(key),
      () => batches.lines(key, { limit: 1 }),
      () => batches.result(key),
      () => batches.submit(key, maker, all),
      () => batches.approve(key, second),
      () => batches.cancel(key, maker),
    ]) {
      await assert.rejects(ask, { code: 'BATCH_NOT_FOUND' })
    }
  }
})
