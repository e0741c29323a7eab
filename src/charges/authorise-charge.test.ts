import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import {
  cardDetails,
  openTill,
  startChargeWorld,
  storyOf,
  type Till,
} from '../../test/charge-world.ts'
import { createMortal } from '../../test/simulate/mortal.ts'
import { applyHeard } from './outcomes.ts'
import { attemptOf } from './send.ts'
import { createChargeWriter, readCharge } from './store.ts'

const world = await startChargeWorld({ after })
const pinCard = '5531886652142950'
const tooOften = 'A wrong authorisation value was given three times.'

async function chargeWithOtp(till: Till): Promise<string> {
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000004' }))
  await world.work()
  return id
}

const codes = (answers: { status: number; body: Record<string, unknown> }[]) =>
  answers.map(({ status, body }) => [status, body.errorCode ?? body.message])
const processing = [200, 'Payment is processing.']
const wrong = [422, 'AUTHORISATION_FAILED']
const notAwaiting = [409, 'CHARGE_NOT_AWAITING_AUTHORISATION']

test('another step than the one asked for is refused and counts for nothing', async () => {
  const till = await openTill(world)
  const id = await chargeWithOtp(till)
  const answers = [
    await till.authorise(id, 'pin', '3310'),
    await till.authorise(id, 'address', '{}'),
    await till.authorise(id, 'avs', '{}'),
  ]
  assert.deepEqual(codes(answers), [notAwaiting, notAwaiting, notAwaiting])
  assert.equal((await storyOf(world, id)).wrongValues, 0)
})

test('the type is read in any case, and avs is the address', async () => {
  const till = await openTill(world)
  const id = await chargeWithOtp(till)
  const address = { number: '4556052704172643' }
  const other = await till.accepted(till.card({ cardDetails: cardDetails(address.number) }))
  const value = JSON.stringify({ street1: 'Moi Avenue 1', city: 'Nairobi', country: 'KE' })
  const answers = [
    await till.authorise(id, ' OTP ', '123456'),
    await till.authorise(other, 'AVS', value),
  ]
  assert.deepEqual(codes(answers), [processing, processing])
})

test('an address must be JSON with a street, a city and a country', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.card({ cardDetails: cardDetails('4556052704172643') }))
  const answers = [
    await till.authorise(id, 'address', 'Moi Avenue 1, Nairobi'),
    await till.authorise(id, 'address', '{"street1":"Moi Avenue 1","city":""}'),
  ]
  assert.deepEqual(codes(answers), [wrong, wrong])
  assert.equal((await storyOf(world, id)).state, 'awaiting')
})

test('two wrong values may be followed by the right one; the third ends the charge', async () => {
  const till = await openTill(world)
  const kept = await chargeWithOtp(till)
  const lost = await chargeWithOtp(till)
  const answers = []
  for (const value of ['1', '2', '123456']) answers.push(await till.authorise(kept, 'otp', value))
  for (const value of ['1', '2', '3', '123456']) {
    answers.push(await till.authorise(lost, 'otp', value))
  }
  assert.deepEqual(codes(answers), [
    ...[wrong, wrong, processing],
    ...[wrong, wrong, wrong, notAwaiting],
  ])
  await world.pass(2000)
  const story = await storyOf(world, lost)
  assert.equal((await storyOf(world, kept)).state, 'succeeded')
  assert.deepEqual([story.state, story.reason, story.wrongValues], ['failed', tooOften, 3])
  assert.deepEqual(story.told, ['pending', 'pending otp', 'failed'])
})

test('wrong values that come at once are counted one by one', async () => {
  const till = await openTill(world)
  const two = await chargeWithOtp(till)
  const three = await chargeWithOtp(till)
  const eight = await chargeWithOtp(till)
  const burst = (id: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => till.authorise(id, 'otp', '999999')))
  assert.deepEqual(codes(await burst(two, 2)), [wrong, wrong])
  const stories = [two, three, eight].map((id) => () => storyOf(world, id))
  await burst(three, 3)
  await burst(eight, 8)
  const counted = await Promise.all(stories.map((read) => read()))
  assert.deepEqual(
    counted.map(({ state, wrongValues }) => [state, wrongValues]),
    [
      ['awaiting', 2],
      ['failed', 3],
      ['failed', 3],
    ],
  )
})

test('the right value given many times at once settles once', async () => {
  const till = await openTill(world)
  const id = await chargeWithOtp(till)
  // Two wrong ones before: a right value that comes second must not count as the third.
  await till.authorise(id, 'otp', '1')
  await till.authorise(id, 'otp', '2')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => till.authorise(id, 'otp', '123456')),
  )
  for (const [status, said] of codes(answers)) {
    assert.ok([processing, notAwaiting].some((each) => each[0] === status && each[1] === said))
  }
  assert.ok(codes(answers).some(([status]) => status === 200))
  await world.pass(2000)
  const { state, transfers, wrongValues } = await storyOf(world, id)
  assert.deepEqual([state, transfers, wrongValues], ['succeeded', ['collected 150000 KES'], 2])
})

test('a wrong value beside a right one does not bring the step back', async () => {
  const till = await openTill(world)
  for (let turn = 0; turn < 5; turn++) {
    const id = await chargeWithOtp(till)
    await Promise.all([
      till.authorise(id, 'otp', '123456'),
      till.authorise(id, 'otp', '999999'),
      till.authorise(id, 'otp', '123456'),
    ])
    const { state } = await storyOf(world, id)
    assert.equal(state, 'processing')
    await world.pass(2000)
    assert.equal((await storyOf(world, id)).state, 'succeeded')
  }
})

test('pin and then one-time password: each is asked for and told', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.card({ cardDetails: cardDetails(pinCard) }))
  const pin = await till.authorise(id, 'pin', '3310')
  assert.deepEqual(pin.body.data, { stepRequired: 'otp' })
  assert.deepEqual(codes([await till.authorise(id, 'pin', '3310')]), [notAwaiting])
  assert.deepEqual(codes([await till.authorise(id, 'otp', '12345')]), [processing])
  await world.pass(2000)
  const { told } = await storyOf(world, id)
  assert.deepEqual(told, ['pending', 'pending pin', 'pending otp', 'successful'])
})

test('after success, after failure and after the deadline there is nothing to authorise', async () => {
  const till = await openTill(world)
  const done = await chargeWithOtp(till)
  await till.authorise(done, 'otp', '123456')
  const repeated = await till.authorise(done, 'otp', '123456')
  await world.pass(2000)
  const settled = await till.authorise(done, 'otp', '123456')
  const late = await chargeWithOtp(till)
  // The deadline counts, also before a worker has seen it.
  world.clock.advance(15 * 60_000)
  const over = await till.authorise(late, 'otp', '123456')
  await world.work()
  const expired = await till.authorise(late, 'otp', '123456')
  assert.deepEqual(codes([repeated, settled, over, expired]), Array(4).fill(notAwaiting))
  assert.equal((await storyOf(world, late)).reason, 'expired')
})

test('a charge of another merchant, a payout and no charge at all are not found', async () => {
  const till = await openTill(world)
  const id = await chargeWithOtp(till)
  const other = await openTill(world)
  const answers = [
    await other.authorise(id, 'otp', '123456'),
    await till.authorise('01a1dcdc-70ba-701e-ab82-56178b6e0050', 'otp', '123456'),
    await till.authorise('nothing', 'otp', '123456'),
  ]
  assert.deepEqual(codes(answers), Array(3).fill([404, 'TRANSACTION_NOT_FOUND']))
  assert.equal((await storyOf(world, id)).wrongValues, 0)
})

test('a step whose answer from the database is lost is taken and told once', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.card({ cardDetails: cardDetails(pinCard) }))
  const { parts } = world.charges
  const charge = (await readCharge(world.db, till.owner.slot, id))!
  let points = 0
  const { db } = createMortal('lossy', world.db, {
    // The first statement is done, and nobody hears of it.
    at: () => (++points === 2 ? 'loses its connection' : 'goes on'),
    standStill: async () => {},
  })
  const said = { kind: 'step', said: 'asks for otp' }
  const finding = await applyHeard({ ...parts, writer: createChargeWriter(db) }, charge, {
    ...{ event: 'step', step: 'otp' },
    attempt: attemptOf(parts, charge, 'authorise', said, world.clock.now()),
  })
  assert.equal(finding, 'applied')
  assert.deepEqual((await storyOf(world, id)).told, ['pending', 'pending pin', 'pending otp'])
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
