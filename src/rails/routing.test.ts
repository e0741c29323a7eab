import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rail, RailRoute } from './rail.ts'
import { createRouting, type RouteQuery } from './routing.ts'

const route = (more: Partial<RailRoute> = {}): RailRoute => ({
  ...{ direction: 'payout', method: 'momo', country: 'KE', currency: 'KES' },
  ...{ minMinor: 1n, maxMinor: 10n },
  ...more,
})

const rail = (name: string, ...routes: RailRoute[]): Rail => ({
  ...{ name, routes, limits: { concurrency: 1, perSecond: 1, timeoutMs: 1 } },
  promises: { keyIsUnique: true, unknownIsFinalAfterMs: 0 },
})

const query = (more: Partial<RouteQuery> = {}): RouteQuery => ({
  ...{ environment: 'live', direction: 'payout', method: 'momo', country: 'KE', currency: 'KES' },
  operator: 'mpesa',
  ...more,
})

const first = rail('first', route({ operators: ['airtel', 'mpesa'] }))
const second = rail('second', route(), route({ method: 'bank' }))
const play = rail('play', route())
const routing = createRouting({ live: [first, second], sandbox: [play] })
const names = (asked: RouteQuery) => routing.railsFor(asked).map((each) => each.rail.name)

test('rails come in the order they are to be tried', () => {
  assert.deepEqual(names(query()), ['first', 'second'])
})

test('a rail is asked only for what it serves', () => {
  assert.deepEqual(names(query({ operator: 'equitel' })), ['second'])
  assert.deepEqual(names(query({ operator: null })), ['second'])
  assert.deepEqual(names(query({ operator: 'MPESA' })), ['first', 'second'])
  assert.deepEqual(names(query({ method: 'bank' })), ['second'])
  for (const other of [{ country: 'UG' }, { currency: 'USD' }, { direction: 'charge' }] as const) {
    assert.deepEqual(names(query(other)), [])
  }
})

test('sandbox and live never mix', () => {
  assert.deepEqual(names(query({ environment: 'sandbox' })), ['play'])
})

test('two rails cannot have the same name', () => {
  assert.throws(() => createRouting({ live: [first], sandbox: [rail('first')] }), /same name/)
  assert.equal(createRouting({ live: [first], sandbox: [first] }).all().length, 1)
})
