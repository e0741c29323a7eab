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

type Expected = {
  state: 'succeeded' | 'failed'
  reason?: string
  /** Steps the customer is asked for, in their order. */
  steps?: string[]
  /** The pauses after which somebody looks; a moment where not said. */
  pausesMs?: number[]
}
const succeeds: Expected = { state: 'succeeded' }
const fails = (reason: string, more: Partial<Expected> = {}): Expected => ({
  ...{ state: 'failed', reason, ...more },
})

const phones: Record<string, Expected> = {
  '000': succeeds,
  '123': succeeds,
  '001': fails('The customer declined.'),
  '002': fails('Insufficient balance.'),
  '003': fails('expired', { pausesMs: [5 * 60_000, 10 * 60_000] }),
  '004': { state: 'succeeded', steps: ['otp'] },
  '005': succeeds,
  '006': fails('No rail could take the payment.', { pausesMs: [1000, 1000, 1000, 1000] }),
  '007': succeeds,
  '008': fails('The account was not found.'),
}

const cards: Record<string, Expected> = {
  '4242424242424242': succeeds,
  '5555555555554444': succeeds,
  '4000000000000002': fails('The customer declined.'),
  '4000000000009995': fails('Insufficient balance.'),
  '4000002760003184': { state: 'succeeded', steps: ['redirect'] },
  '5531886652142950': { state: 'succeeded', steps: ['pin', 'otp'] },
  '4556052704172643': { state: 'succeeded', steps: ['address'] },
  '4000000000000069': fails('The card has expired.'),
  '6011111111111117': succeeds,
}

const address = JSON.stringify({ street1: 'Moi Avenue 1', city: 'Nairobi', country: 'KE' })
const answers: Record<string, (card: boolean) => string> = {
  otp: (card) => (card ? '12345' : '123456'),
  pin: () => '3310',
  address: () => address,
}

/** Takes the steps as the customer would, and sees that each is asked for. */
async function takeSteps(till: Till, id: string, steps: string[], isCard: boolean) {
  for (const step of steps) {
    const { stepRequired, redirectUrl } = await till.read(id)
    assert.equal(stepRequired, step)
    if (step === 'redirect') {
      const page = await world.send({
        method: 'POST',
        url: new URL(String(redirectUrl)).pathname,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'decision=approve',
      })
      assert.equal(page.status, 200)
      continue
    }
    const { status, text } = await till.authorise(id, step, answers[step]!(isCard))
    assert.equal(status, 200, text)
  }
}

async function followed(till: Till, id: string, expected: Expected, isCard: boolean) {
  await world.work()
  if (expected.steps) await takeSteps(till, id, expected.steps, isCard)
  for (const pauseMs of expected.pausesMs ?? [2000]) await world.pass(pauseMs)
  const { state, reason, told } = await storyOf(world, id)
  assert.deepEqual([state, reason], [expected.state, expected.reason ?? null])
  const steps = (expected.steps ?? []).map((step) => `pending ${step}`)
  assert.deepEqual(told, ['pending', ...steps, state === 'failed' ? 'failed' : 'successful'])
  const { status, failureReason, stepRequired } = await till.read(id)
  assert.equal(status, state === 'failed' ? 'FAILED' : 'SUCCESSFUL')
  assert.equal(failureReason, expected.reason ?? null)
  assert.equal(stepRequired, null)
}

for (const [suffix, expected] of Object.entries(phones)) {
  test(`a phone number ending in ${suffix} ${expected.state} as published`, async () => {
    const till = await openTill(world)
    const before = await till.balance('KES', 'KE')
    const id = await till.accepted(till.momo({ phoneNumber: `+254700000${suffix}` }))
    await followed(till, id, expected, false)
    const got = (await till.balance('KES', 'KE')) - before
    assert.equal(got, expected.state === 'succeeded' ? 150_000n : 0n)
  })
}

for (const [number, expected] of Object.entries(cards)) {
  test(`the card ${number} ${expected.state} as published`, async () => {
    const till = await openTill(world)
    const before = await till.balance('KES', 'KE')
    const answer = await till.card({ cardDetails: cardDetails(number) })
    const data = answer.body.data as Record<string, unknown>
    assert.equal(answer.status, 200, answer.text)
    assert.equal(data.stepRequired, expected.steps?.[0])
    assert.equal('redirectUrl' in data, expected.steps?.[0] === 'redirect')
    await followed(till, String(data.transactionId), expected, true)
    const got = (await till.balance('KES', 'KE')) - before
    assert.equal(got, expected.state === 'succeeded' ? 2500n : 0n)
  })
}

test('after all of them ledger, records, events and suspense agree', () =>
  assertBooksAgree(world.db))
