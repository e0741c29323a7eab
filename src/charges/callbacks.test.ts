import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { openTill, startChargeWorld, storyOf, type Till } from '../../test/charge-world.ts'
import type { CallbackMessage } from '../rails/rail.ts'
import { handleChargeCallbacks } from './callbacks.ts'
import { createChargeWriter } from './store.ts'

const world = await startChargeWorld({ after })
const { charges, payouts } = world

/** A charge its rail has taken and says nothing about. */
async function silentCharge(till: Till): Promise<string> {
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000003' }))
  await world.work()
  return id
}

const post = ({ headers, body }: CallbackMessage) =>
  world.send({
    method: 'POST',
    url: '/rails/sandbox/callbacks',
    headers: { 'content-type': 'application/json', ...headers },
    payload: body.toString(),
  })

async function findingsOf(id: string): Promise<string[]> {
  const rows = await world.db<{ finding: string }[]>`
    select finding from rail_callbacks where transaction_id = ${id} order by received_at, id`
  return rows.map(({ finding }) => finding)
}

const paid = (id: string) => world.news({ key: id, amount: '150000', currency: 'KES' })
const refused = (id: string) =>
  world.news({ key: id, kind: 'failed', reason: 'No.', amount: '150000', currency: 'KES' })

test('a callback told twenty times settles once', async () => {
  const id = await silentCharge(await openTill(world))
  await Promise.all(Array.from({ length: 20 }, () => post(paid(id))))
  await world.work()
  const { transfers, told } = await storyOf(world, id)
  assert.deepEqual(transfers, ['collected 150000 KES'])
  assert.deepEqual(told, ['pending', 'successful'])
  const findings = await findingsOf(id)
  assert.equal(findings.filter((finding) => finding === 'applied').length, 1)
  assert.equal(findings.filter((finding) => finding === 'repeated').length, 19)
})

test('three workers with the same callbacks settle each charge once', async () => {
  const till = await openTill(world)
  // Each with a writer of its own, as in processes of their own.
  const writers = Array.from({ length: 3 }, () => createChargeWriter(world.db))
  const faults: unknown[] = []
  const handleAll = () =>
    Promise.all(
      writers.map((writer) =>
        handleChargeCallbacks({ ...charges.parts, writer }, (error) => void faults.push(error)),
      ),
    )
  for (const together of [1, 1, 1, 1, 12]) {
    const ids = await Promise.all(Array.from({ length: together }, () => silentCharge(till)))
    await Promise.all(ids.map((id) => post(paid(id))))
    await handleAll()
    for (const id of ids) {
      const { state, transfers } = await storyOf(world, id)
      assert.deepEqual([state, transfers], ['succeeded', ['collected 150000 KES']])
    }
  }
  await Promise.all(writers.map((writer) => writer.close()))
  assert.deepEqual(faults, [])
})

test('news that comes late or in the wrong order changes nothing that is final', async () => {
  const till = await openTill(world)
  const id = await silentCharge(till)
  await post(paid(id))
  await world.work()
  await post(world.news({ key: id, kind: 'pending', amount: '150000', currency: 'KES' }))
  await post(refused(id))
  await world.work()
  const { state, transfers, told } = await storyOf(world, id)
  assert.deepEqual([state, transfers], ['succeeded', ['collected 150000 KES']])
  assert.deepEqual(told, ['pending', 'successful'])
  assert.deepEqual(await findingsOf(id), ['applied', 'repeated', 'contradiction'])
})

test('news that the rail still waits takes no step from the customer', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000004' }))
  await world.work()
  await post(world.news({ key: id, kind: 'pending', amount: '150000', currency: 'KES' }))
  await world.work()
  assert.equal((await till.read(id)).stepRequired, 'otp')
  assert.equal((await till.authorise(id, 'otp', '123456')).status, 200)
})

test('success told again and again after a failure is kept in suspense once', async () => {
  const id = await silentCharge(await openTill(world))
  await post(refused(id))
  await world.work()
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all([post(paid(id)), post(paid(id))])
    await Promise.all([handleChargeCallbacks(charges.parts), handleChargeCallbacks(charges.parts)])
  }
  const { state, reason, transfers, suspense, told } = await storyOf(world, id)
  assert.deepEqual([state, reason], ['failed', 'No.'])
  assert.deepEqual(transfers, ['arrived 150000 KES'])
  assert.deepEqual(suspense, ['150000 The rail collected it after the charge had failed.'])
  assert.deepEqual(told, ['pending', 'failed'])
  const [, ...later] = await findingsOf(id)
  for (const finding of later) assert.match(finding, /^contradiction: .* the money is in suspense/)
})

test('a forged, unsigned or unreadable callback is refused and not kept', async () => {
  const id = await silentCharge(await openTill(world))
  const { headers, body } = paid(id)
  const forged = Buffer.from(body.toString().replace('150000', '150001'))
  const answers = [
    await post({ headers, body: forged }),
    await post({ headers: {}, body }),
    await post({ headers: { 'x-sandbox-signature': 'ff' }, body }),
  ]
  assert.deepEqual(
    answers.map(({ status, body: said }) => [status, said.errorCode]),
    Array(3).fill([401, 'UNAUTHORIZED']),
  )
  await world.work()
  assert.deepEqual(await findingsOf(id), [])
  assert.equal((await storyOf(world, id)).state, 'processing')
})

test('another amount or currency is not believed, and the rail is asked', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000000' }))
  await world.work()
  await post(world.news({ key: id, amount: '150001', currency: 'KES' }))
  await post(world.news({ key: id, amount: '150000', currency: 'UGX' }))
  await handleChargeCallbacks(charges.parts)
  assert.deepEqual(await findingsOf(id), [
    'not believed: the amount is 150001, ours is 150000',
    'not believed: the currency is UGX, ours is KES',
  ])
  assert.equal((await storyOf(world, id)).state, 'processing')
  await world.pass(2000)
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 150000 KES'])
})

test('news about nothing of ours is kept with what was found', async () => {
  const key = world.ids.next(3)
  for (const unknown of [key, 'no id']) {
    await post(world.news({ key: unknown, amount: '1', currency: 'KES' }))
  }
  await world.work()
  const rows = await world.db<{ finding: string }[]>`
    select finding from rail_callbacks where transaction_id = ${key}
    or (transaction_id is null and arrival_id is null)`
  assert.deepEqual(
    rows.map(({ finding }) => finding),
    Array(2).fill('not believed: there is no such payment'),
  )
})

test('a charge is not reversed by its rail, and another direction finds no charge', async () => {
  const id = await silentCharge(await openTill(world))
  await post(world.news({ key: id, kind: 'reversed', amount: '150000', currency: 'KES' }))
  await payouts.receiveCallback('sandbox', {
    ...world.news({ key: id, direction: 'payout', amount: '150000', currency: 'KES' }),
  })
  await world.work()
  assert.equal((await storyOf(world, id)).state, 'processing')
  const [finding] = await findingsOf(id)
  assert.equal(finding, 'contradiction: a charge is not reversed by its rail')
})

test('news that cannot be worked with is put aside and holds up nothing', async () => {
  const id = await silentCharge(await openTill(world))
  await world.db`
    insert into rail_callbacks (slot, id, rail, direction, outcome, arrival_id, account_number,
      received_at)
    values (0, ${world.ids.next(0)}, 'sandbox', 'charge', 'succeeded', 'x', '1', now())`
  await post(paid(id))
  const faults: unknown[] = []
  await handleChargeCallbacks(charges.parts, (error) => void faults.push(error))
  assert.equal(faults.length, 1)
  assert.equal((await storyOf(world, id)).state, 'succeeded')
  const [row] = await world.db<{ finding: string }[]>`
    select finding from rail_callbacks where arrival_id = 'x'`
  assert.match(row!.finding, /^fault: /)
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
