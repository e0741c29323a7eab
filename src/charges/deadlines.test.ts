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

const world = await startChargeWorld({ after })
const minuteMs = 60_000

const silentPhone = (till: Till) => till.momo({ phoneNumber: '+254700000003' })
const phoneWithOtp = (till: Till) => till.momo({ phoneNumber: '+254700000004' })
const card = (number: string) => (till: Till) => till.card({ cardDetails: cardDetails(number) })

const abandoned: [name: string, make: typeof silentPhone, minutes: number][] = [
  ['a phone nobody answers', silentPhone, 15],
  ['a one-time password nobody gives', phoneWithOtp, 15],
  ['a pin nobody gives', card('5531886652142950'), 30],
  ['an address nobody gives', card('4556052704172643'), 30],
  ['a page nobody confirms', card('4000002760003184'), 30],
]

for (const [name, make, minutes] of abandoned) {
  test(`${name} fails after ${minutes} minutes, and not before`, async () => {
    const till = await openTill(world)
    const id = await till.accepted(make(till))
    await world.work()
    await world.pass(minutes * minuteMs - 1000)
    assert.equal((await till.read(id)).status, 'PENDING')
    await world.pass(1000)
    const { state, reason, told, transfers } = await storyOf(world, id)
    assert.deepEqual([state, reason, transfers], ['failed', 'expired', []])
    assert.equal(told.at(-1), 'failed')
  })

  test(`${name} fails also when nobody was there at that moment`, async () => {
    const till = await openTill(world)
    const id = await till.accepted(make(till))
    await world.work()
    await world.pass(26 * 60 * minuteMs)
    const { state, reason } = await storyOf(world, id)
    assert.deepEqual([state, reason], ['failed', 'expired'])
  })
}

test('a charge no worker has sent in time is not sent any more', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo())
  await world.pass(15 * minuteMs)
  assert.equal((await storyOf(world, id)).reason, 'expired')
  const rows = await world.db`select 1 from sandbox_rail_book where key = ${id}`
  assert.equal(rows.length, 0)
})

test('a rail that collected in time settles, also when it is first heard at the deadline', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo())
  await world.work()
  await world.pass(20 * minuteMs)
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 150000 KES'])
})

test('a success that comes after the deadline is in suspense, told by callback or lookup', async () => {
  const till = await openTill(world)
  const id = await till.accepted(silentPhone(till))
  await world.work()
  await world.pass(15 * minuteMs)
  const news = world.news({ key: id, amount: '150000', currency: 'KES' })
  await world.payouts.receiveCallback('sandbox', news)
  await world.pass(1000)
  const { state, suspense } = await storyOf(world, id)
  assert.equal(state, 'failed')
  assert.deepEqual(suspense, ['150000 The rail collected it after the charge had failed.'])
})

test('a page is confirmed at the last moment: the charge settles or the money is kept', async () => {
  const till = await openTill(world)
  const { body } = await card('4000002760003184')(till)
  const data = body.data as { transactionId: string; redirectUrl: string }
  world.clock.advance(30 * minuteMs - 1)
  const answer = await world.send({
    method: 'POST',
    url: new URL(data.redirectUrl).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'decision=approve',
  })
  assert.equal(answer.status, 200)
  await world.pass(1)
  await world.pass(1000)
  const { state, suspense, transfers } = await storyOf(world, data.transactionId)
  assert.equal(state, 'failed')
  assert.deepEqual(transfers, ['arrived 2500 KES'])
  assert.deepEqual(suspense, ['2500 The rail collected it after the charge had failed.'])
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
