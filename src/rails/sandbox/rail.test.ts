import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/harness.ts'
import { manualClock } from '../../clock.ts'
import { createIds } from '../../ids.ts'
import { type RailOnTrial, railConformance } from '../conformance.ts'
import type { PayoutOrder } from '../rail.ts'
import { databaseBook } from '../sandbox-book.ts'
import { behaviourOf, behaviours, deadlineMs, resultAfterMs } from './behaviour.ts'
import { type Book, memoryBook } from './book.ts'
import { callbackFor, createSandboxRail, type Faults } from './rail.ts'

const secret = Buffer.alloc(32, 3)
const never = new AbortController().signal

function onTrial(book: Book, faults: Faults = {}, suffix = '000') {
  const clock = manualClock(Date.now())
  const ids = createIds(clock)
  const rail = createSandboxRail({ name: 'sandbox', clock, book, secret, faults })
  const order = (): PayoutOrder => ({
    ...{ key: ids.next(1), environment: 'sandbox', method: 'momo', destination: 'MoMo' },
    ...{ country: 'KE', currency: 'KES', amount: 100_000n, accountName: 'Amina Otieno' },
    ...{ accountNumber: `254700000${suffix}`, code: null, branchCode: null, businessNumber: null },
  })
  const trial: RailOnTrial = {
    rail,
    order,
    pass: () => clock.advance(resultAfterMs),
    movements: async (key) => ((await book.find('sandbox', key)) ? 1 : 0),
    callback: async ({ key }) =>
      callbackFor((await book.find('sandbox', key))!, clock.now(), secret, faults),
    secrets: [secret.toString('hex'), secret.toString('base64'), secret.toString()],
  }
  return { ...trial, clock, book }
}

const database = testDatabase()
after(async () => (await database).drop())

railConformance('the sandbox with a book in memory', async () => onTrial(memoryBook()))
railConformance('the sandbox with a book in the database', async () =>
  onTrial(databaseBook((await database).sql)),
)

test('a book in the database and one in memory tell the same story', async () => {
  const books = [memoryBook(), databaseBook((await database).sql)]
  const stories = await Promise.all(
    books.map(async (book) => {
      const { rail, order, clock } = onTrial(book, {}, '007')
      const one = order()
      await Promise.all([1, 2, 3].map(() => rail.payouts!.create(one, never)))
      const { key, takenAtMs, amount, behaviour, arrivals } = (await book.find('sandbox', one.key))!
      const due: number[] = []
      for (const ms of [0, resultAfterMs - 1, 1, 0, 0, 60_000]) {
        clock.advance(ms)
        const entries = await book.dueCallbacks('sandbox', clock.now(), 10)
        due.push(entries.filter((each) => each.key === key).length)
      }
      const ageMs = clock.now() - takenAtMs
      return { amount, behaviour, arrivals, due, ageMs }
    }),
  )
  const story = {
    ...{ amount: 100_000n, behaviour: 'call back twice', arrivals: 3, due: [0, 0, 1, 1, 0, 0] },
    ageMs: resultAfterMs + 60_000,
  }
  assert.deepEqual(stories, [story, story])
})

test('the last three digits decide, and a number without a rule succeeds', () => {
  assert.deepEqual(Object.keys(behaviours), [
    '000',
    '001',
    '002',
    '003',
    '004',
    '005',
    '006',
    '007',
    '008',
  ])
  for (const [suffix, behaviour] of Object.entries(behaviours)) {
    assert.equal(behaviourOf(`254700000${suffix}`), behaviour)
  }
  for (const number of ['254700000009', '', '1', '00']) assert.equal(behaviourOf(number), 'succeed')
})

test('a silent payment is pending until its deadline, and asks to be looked up meanwhile', async () => {
  const { rail, order, clock } = onTrial(memoryBook(), {}, '003')
  const one = order()
  await rail.payouts!.create(one, never)
  clock.advance(deadlineMs - 1)
  const open = await rail.payouts!.lookup(one, never)
  assert.equal(open.kind === 'pending' && open.checkAfterMs, 1)
  clock.advance(1)
  assert.equal((await rail.payouts!.lookup(one, never)).kind, 'failed')
})

const misbehaviours: [Faults, submit: string, lookup: string][] = [
  [{ outage: true }, 'unavailable', 'unclear'],
  [{ timeout: 'before taking' }, 'unclear', 'unknown'],
  [{ timeout: 'after taking' }, 'unclear', 'pending'],
]
for (const [faults, submit, lookup] of misbehaviours) {
  test(`told to misbehave with ${JSON.stringify(faults)}, it does`, async () => {
    const { rail, order } = onTrial(memoryBook(), faults)
    const one = order()
    assert.equal((await rail.payouts!.create(one, never)).kind, submit)
    assert.equal((await rail.payouts!.lookup(one, never)).kind, lookup)
  })
}

test('a slow rail gives up when it is told to, and has taken nothing', async () => {
  const { rail, order, movements } = onTrial(memoryBook(), { delayMs: 60_000 })
  const one = order()
  await assert.rejects(rail.payouts!.create(one, AbortSignal.timeout(20)))
  await assert.rejects(rail.payouts!.lookup(one, AbortSignal.timeout(20)))
  assert.equal(await movements(one.key), 0)
})

test('its callbacks can be told to contradict the truth and to name a wrong amount', async () => {
  const kinds: Faults['callbacks'][] = ['contradicting', 'wrong amount']
  const news = await Promise.all(
    kinds.map(async (callbacks) => {
      const { rail, order, pass, callback } = onTrial(memoryBook(), { callbacks })
      const one = order()
      await rail.payouts!.create(one, never)
      pass()
      return rail.callbacks!.translate(await callback(one))
    }),
  )
  assert.equal(news[0]!.kind, 'failed')
  assert.equal(news[1]!.amount, 100_001n)
})
