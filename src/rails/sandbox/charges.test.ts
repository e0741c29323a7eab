import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../clock.ts'
import type { ChargeOrder } from '../rail.ts'
import { createSandboxBench } from './bench.ts'
import { memoryBook } from './book.ts'
import { keyOfLink, linkOf, sandboxCharges } from './charges.ts'

const secret = Buffer.alloc(32, 1)
const signal = AbortSignal.timeout(60_000)

function openRail() {
  const clock = manualClock(1_800_000_000_000)
  const book = memoryBook()
  const parts = { name: 'sandbox', clock, book, secret }
  const bench = createSandboxBench({ ...parts, receive: async () => {} })
  return { ...parts, rail: sandboxCharges(parts), bench }
}

const order = (change: Partial<ChargeOrder>): ChargeOrder => ({
  ...{ key: 'k', environment: 'sandbox', method: 'momo', country: 'KE', currency: 'KES' },
  ...{ amount: 1000n, phoneNumber: '254700000000', operator: null, code: null, card: null },
  ...{ customer: { email: null, name: null, ip: null }, deadlineMs: 900_000, ...change },
})
const card = { number: '5531886652142950', cvv: '123', expMonth: '12', expYear: '2031' }

test('the same key again is the same payment', async () => {
  const { rail, book, clock } = openRail()
  const first = await rail.create(order({}), signal)
  clock.advance(500)
  assert.deepEqual(await rail.create(order({ phoneNumber: '254700000001' }), signal), first)
  assert.equal(book.entries().length, 1)
  clock.advance(500)
  assert.equal((await rail.lookup('k', signal)).kind, 'succeeded')
})

test('a wrong value may be tried again, and an answer given twice counts once', async () => {
  const { rail } = openRail()
  await rail.create(order({ phoneNumber: '254700000004' }), signal)
  const answer = (value: string) => rail.authorise!('k', { step: 'otp', value, card: null }, signal)
  assert.equal((await answer('000000')).kind, 'refused')
  assert.equal((await answer('123456')).kind, 'accepted')
  assert.equal((await answer('123456')).kind, 'accepted')
  assert.equal((await answer('000000')).kind, 'accepted')
  assert.equal(
    (await rail.authorise!('x', { step: 'otp', value: '1', card }, signal)).kind,
    'unclear',
  )
})

test('the pin needs the card again, and the one-time password follows it', async () => {
  const { rail } = openRail()
  const asked = await rail.create(order({ method: 'card', phoneNumber: null, card }), signal)
  assert.deepEqual([asked.kind, 'step' in asked && asked.step], ['step', 'pin'])
  const without = await rail.authorise!('k', { step: 'pin', value: '3310', card: null }, signal)
  assert.equal(without.kind, 'failed')
  const next = await rail.authorise!('k', { step: 'pin', value: '3310', card }, signal)
  assert.deepEqual('step' in next && next.step, 'otp')
  const otp = { step: 'otp', value: '12345', card: null } as const
  assert.equal((await rail.authorise!('k', otp, signal)).kind, 'accepted')
})

test('a virtual account is the same for the same key, and others for others', async () => {
  const { rail } = openRail()
  const numbers = await Promise.all(
    Array.from({ length: 2000 }, async (_, index) => {
      const outcome = await rail.create(order({ method: 'bank', key: `k${index % 1000}` }), signal)
      return outcome.kind === 'accepted' ? outcome.virtualAccount!.accountNumber : ''
    }),
  )
  assert.deepEqual(numbers.slice(0, 1000), numbers.slice(1000))
  assert.equal(new Set(numbers).size, 1000)
  for (const number of numbers) assert.match(number, /^\d{10}$/)
})

test('a link belongs to its payment, and one changed letter breaks it', () => {
  const link = linkOf(secret, 'k')
  assert.equal(keyOfLink(secret, link), 'k')
  for (let at = 0; at < link.length; at++) {
    const letter = link[at] === 'A' ? 'B' : 'A'
    assert.equal(keyOfLink(secret, link.slice(0, at) + letter + link.slice(at + 1)), undefined)
  }
  for (const wrong of ['', 'k', 'k.', '.', `${link}A`, link.slice(0, -1)]) {
    assert.equal(keyOfLink(secret, wrong), undefined)
  }
  assert.equal(keyOfLink(Buffer.alloc(32, 2), link), undefined)
})

test('of approval and refusal at once one counts, and the page is over after it', async () => {
  const { rail, bench, clock } = openRail()
  await rail.create(order({ phoneNumber: '221771234567', operator: 'wave' }), signal)
  const entry = (await bench.findLink(linkOf(secret, 'k')))!
  const decided = await Promise.all([
    bench.decide({ ...entry }, true),
    bench.decide({ ...entry }, false),
  ])
  assert.deepEqual(decided, [true, false])
  assert.equal(await bench.decide((await bench.findLink(linkOf(secret, 'k')))!, true), false)
  clock.advance(1000)
  assert.equal((await rail.lookup('k', signal)).kind, 'succeeded')
})

test('a phone nobody answers stays pending, however long one asks', async () => {
  const { rail, clock, book } = openRail()
  await rail.create(order({ phoneNumber: '254700000003' }), signal)
  clock.advance(86_400_000)
  assert.equal((await rail.lookup('k', signal)).kind, 'pending')
  assert.deepEqual(await book.dueCallbacks('sandbox', clock.now(), 10), [])
})
