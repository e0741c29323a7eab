import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Books, RecordRow } from './books.ts'
import { check } from './check.ts'
import type { Intent } from './intents.ts'
import { invariants, type Outside } from './invariants.ts'
import type { Message } from './receiver.ts'

/** A little world in which everything is right: every test spoils one thing of it. */
type Scene = { outside: Outside & { intents: Intent[]; messages: Message[] }; books: Books }

const account = 'duka'
const kes = 'KES'

type Story = {
  id: string
  kind: Intent['kind']
  status: 'successful' | 'failed'
  amount: bigint
  behaviour?: string
}

const stories: Story[] = [
  { id: 'paid', kind: 'payout', status: 'successful', amount: 100n, behaviour: 'succeed' },
  { id: 'returned', kind: 'payout', status: 'failed', amount: 200n, behaviour: 'decline' },
  { id: 'unheard', kind: 'payout', status: 'failed', amount: 250n },
  { id: 'collected', kind: 'momo', status: 'successful', amount: 300n, behaviour: 'succeed' },
  { id: 'late', kind: 'card', status: 'failed', amount: 400n, behaviour: 'succeed' },
  { id: 'twice', kind: 'bank', status: 'successful', amount: 500n, behaviour: 'wait for transfer' },
]
const steps: Record<string, string[]> = {
  'payout successful': ['accepted', 'paid'],
  'payout failed': ['accepted', 'returned'],
  'charge successful': ['collected'],
  'charge failed': [],
}

function intentOf({ id, kind, status, amount }: Story): Intent {
  const asked = { merchant: 0, kind, path: '/', body: {}, key: `key ${id}`, reference: `ref ${id}` }
  const told = { tries: 1, outcome: 'accepted' as const, transactionId: id, status }
  const intent = { ...asked, ...told, amountMinor: amount, currency: kes }
  return kind === 'bank'
    ? { ...intent, virtualAccount: { number: '99', tried: 2, answered: 1 } }
    : intent
}

function recordOf({ id, kind, status, amount }: Story): RecordRow {
  return {
    ...{ id, accountId: account, kind: kind === 'payout' ? 'payout' : 'charge', status },
    ...{ state: status, reference: `ref ${id}`, key: `key ${id}`, amount, currency: kes },
    ...{ method: kind === 'payout' ? 'momo' : kind, sequence: 2, failureReason: null },
    isDue: false,
  }
}

function scene(): Scene {
  const records = stories.map(recordOf)
  const events = stories.flatMap(({ id: transactionId, status }) => [
    ...[{ id: `${transactionId} 1`, transactionId, sequence: 1, status: 'pending' }],
    ...[{ id: `${transactionId} 2`, transactionId, sequence: 2, status: status as string }],
  ])
  const refused: Intent = { ...intentOf(stories[0]!), reference: 'ref refused', key: 'key refused' }
  Object.assign(refused, { outcome: 'refused', transactionId: undefined, status: undefined })
  return {
    outside: {
      intents: [...stories.map(intentOf), refused],
      ...{ accountIds: [account, 'other'], funds: new Map([[`${account} ${kes}`, 1000n]]) },
      messages: events.map((event) => ({
        ...{ ...event, merchant: 0, isTaken: true, digest: `bytes of ${event.id}` },
      })),
    },
    books: {
      records,
      rail: stories.flatMap(({ id, kind, amount, behaviour }) => {
        const direction = kind === 'payout' ? 'payout' : 'charge'
        const entry = { key: id, direction, amount, currency: kes, arrivals: 1, isConfirmed: true }
        return behaviour === undefined ? [] : [{ ...entry, behaviour }]
      }),
      transfers: records.flatMap(({ id, kind, status, amount }) =>
        steps[`${kind} ${status}`]!.map((step) => ({
          ...{ transactionId: id, step, amount, currency: kes },
        })),
      ),
      events: events.map((event) => ({ ...event, delivery: 'SUCCESS' })),
      suspense: [
        { transactionId: 'late', amount: 400n, story: 'collected after the charge had failed' },
        { transactionId: 'twice', amount: 500n, story: 'paid already' },
      ],
      arrivals: [
        { transactionId: 'twice', amount: 500n },
        { transactionId: 'twice', amount: 500n },
      ],
      wallets: [{ accountId: account, currency: kes, available: 1700n, held: 0n }],
    },
  }
}

const found = ({ outside, books }: Scene) =>
  new Set(check(outside, books).violations.map(({ kind }) => kind))

test('where everything is right nothing is found, and every invariant was compared', () => {
  const { outside, books } = scene()
  outside.messages.push({ ...outside.messages[0]! })
  const { violations, checked } = check(outside, books)
  assert.deepEqual(violations, [])
  assert.deepEqual(new Set(Object.keys(checked)), new Set(Object.values(invariants)))
})

const at = <Item>(items: Item[], index: number): Item => items.at(index)!
const without = <Item>(items: Item[], isGone: (item: Item) => boolean): void => {
  items.splice(0, items.length, ...items.filter((item) => !isGone(item)))
}

/** What can go wrong with money and news, each planted alone, and who has to notice. */
const plants: [what: string, invariant: string, plant: (scene: Scene) => void][] = [
  [
    'an accepted payout is lost',
    invariants.accepted,
    ({ books }) => without(books.records, ({ id }) => id === 'paid'),
  ],
  [
    'a record has another amount than was asked for',
    invariants.accepted,
    ({ books }) => void Object.assign(at(books.records, 0), { amount: 101n }),
  ],
  [
    'a request was never answered',
    invariants.answered,
    ({ outside }) => void Object.assign(at(outside.intents, 0), { outcome: 'open' }),
  ],
  [
    'one request became two records',
    invariants.asked,
    ({ books }) => {
      const again = { ...at(books.records, 0), id: 'again', reference: 'ref again' }
      books.records.push(again)
    },
  ],
  [
    'a refused request is on record',
    invariants.refused,
    ({ books }) => {
      const left = { ...at(books.records, 0), id: 'left', reference: 'ref refused' }
      books.records.push(left)
    },
  ],
  [
    'a client read another end than the record has',
    invariants.read,
    ({ outside }) => void Object.assign(at(outside.intents, 0), { status: 'failed' }),
  ],
  [
    'a payout stays open',
    invariants.final,
    ({ books }) => void Object.assign(at(books.records, 0), { status: 'pending', isDue: true }),
  ],
  [
    'the rail paid what we returned',
    invariants.moved,
    ({ books }) => void Object.assign(at(books.rail, 1), { behaviour: 'succeed' }),
  ],
  [
    'the rail never paid what we say is paid',
    invariants.moved,
    ({ books }) => without(books.rail, ({ key }) => key === 'paid'),
  ],
  [
    'two rails paid one payout',
    invariants.moved,
    ({ books }) => void books.rail.push({ ...at(books.rail, 0) }),
  ],
  [
    'money collected after a failure is not in suspense',
    invariants.moved,
    ({ books }) => without(books.suspense, ({ transactionId }) => transactionId === 'late'),
  ],
  [
    'the rail paid another amount',
    invariants.amount,
    ({ books }) => void Object.assign(at(books.rail, 0), { amount: 1000n }),
  ],
  [
    'the rail has a payment that we do not know',
    invariants.known,
    ({ books }) => void books.rail.push({ ...at(books.rail, 0), key: 'stranger' }),
  ],
  [
    'a transfer into an account vanished',
    invariants.arrived,
    ({ books }) => without(books.suspense, ({ transactionId }) => transactionId === 'twice'),
  ],
  [
    'more arrived than was ever sent',
    invariants.arrived,
    ({ books }) => {
      for (const list of [books.arrivals, books.suspense]) list.push({ ...at(books.suspense, 1) })
    },
  ],
  [
    'the money of a failed payout was not returned',
    invariants.transfers,
    ({ books }) => without(books.transfers, ({ step }) => step === 'returned'),
  ],
  [
    'a payout was booked as paid and as returned',
    invariants.transfers,
    ({ books }) => void books.transfers.push({ ...at(books.transfers, 1), step: 'returned' }),
  ],
  [
    'a wallet was credited twice',
    invariants.wallets,
    ({ books }) => void Object.assign(at(books.wallets, 0), { available: 2000n }),
  ],
  [
    'money is held for nothing',
    invariants.wallets,
    ({ books }) => void Object.assign(at(books.wallets, 0), { held: 1n }),
  ],
  [
    'a change made no event',
    invariants.events,
    ({ books }) => without(books.events, ({ id }) => id === 'paid 2'),
  ],
  [
    'the last event tells another end',
    invariants.events,
    ({ books }) => void Object.assign(at(books.events, 1), { status: 'failed' }),
  ],
  [
    'an end was never told',
    invariants.told,
    ({ outside }) => without(outside.messages, ({ id }) => id === 'paid 2'),
  ],
  [
    'an end was told and not taken, and nobody tries again',
    invariants.told,
    ({ outside }) => void Object.assign(at(outside.messages, 1), { isTaken: false }),
  ],
  [
    'the end was told before the beginning',
    invariants.order,
    ({ outside }) => void outside.messages.unshift(...outside.messages.splice(1, 1)),
  ],
  [
    'a repeat has an id of its own',
    invariants.same,
    ({ outside }) => void outside.messages.push({ ...at(outside.messages, 0), id: 'new' }),
  ],
  [
    'a repeat says something else',
    invariants.same,
    ({ outside }) => void outside.messages.push({ ...at(outside.messages, 0), digest: 'other' }),
  ],
  [
    'a merchant is told of the payment of another',
    invariants.addressed,
    ({ outside }) => void Object.assign(at(outside.messages, 0), { merchant: 1 }),
  ],
  [
    'a message tells of an end that is not on record',
    invariants.addressed,
    ({ outside }) => void outside.messages.push({ ...at(outside.messages, 1), status: 'failed' }),
  ],
]

test('each kind of loss and doubling is found where it is planted', () => {
  for (const [what, invariant, plant] of plants) {
    const spoiled = scene()
    plant(spoiled)
    assert.ok(found(spoiled).has(invariant), `${what} was not found by: ${invariant}`)
  }
})

test('no invariant is without a plant', () => {
  const planted = new Set(plants.map(([, invariant]) => invariant))
  assert.deepEqual(planted, new Set(Object.values(invariants)))
})
