import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { currency } from '../money/currencies.ts'
import type { CallbackMessage, PayoutOrder, Rail } from './rail.ts'

/** A rail on trial, and what the trial needs to know about it. */
export type RailOnTrial = {
  rail: Rail
  /** An order that the rail takes. Each has a key of its own. */
  order(): PayoutOrder
  /** Lets enough time pass for the rail to come to a result. */
  pass(): void
  /** How often the rail itself moved money under the key. */
  movements(key: string): Promise<number>
  /** A callback as the rail sends it about an order that it has taken. */
  callback(order: PayoutOrder): Promise<CallbackMessage>
  /** What must never be found in what the rail said. */
  secrets: readonly string[]
}

const never = new AbortController().signal
const over = AbortSignal.abort()
const finals = ['succeeded', 'failed']

/** What every rail has to hold before it may move money. Tests of a rail call it. */
export function railConformance(name: string, makeRail: () => Promise<RailOnTrial>): void {
  describe(`${name} conforms`, () => {
    test('its routes are well-formed', async () => assertRoutes((await makeRail()).rail))
    test('a repeat moves money once', async () => assertRepeat(await makeRail()))
    test('two orders are two payments', async () => assertTwo(await makeRail()))
    test('a key it never saw is unknown', async () => assertUnknown(await makeRail()))
    test('a result does not change', async () => assertStable(await makeRail()))
    test('what is called off is not done', async () => assertAbort(await makeRail()))
    test('its callbacks are told from forgeries', async () => assertSigned(await makeRail()))
    test('its callbacks say what happened to what', async () => assertNews(await makeRail()))
    test('what it says has no secret in it', async () => assertSaid(await makeRail()))
  })
}

function assertRoutes({ name, routes, limits, promises }: Rail): void {
  assert.match(name, /^[a-z][a-z0-9-]{0,30}$/, 'the name is part of a ledger account')
  assert.ok(routes.length > 0)
  const keys = new Set<string>()
  for (const { direction, method, country, currency: code, operators, ...bounds } of routes) {
    const info = currency(code)
    assert.ok(info, `${code} is a currency of ours`)
    assert.ok(info.scopes.includes(country), `${code} is used in ${country}`)
    assert.ok(bounds.minMinor > 0n && bounds.minMinor <= bounds.maxMinor)
    for (const operator of operators ?? []) assert.equal(operator, operator.toLowerCase())
    const key = [direction, method, country, code, ...(operators ?? [])].join(' ')
    assert.ok(!keys.has(key), `${key} is there once`)
    keys.add(key)
  }
  for (const limit of Object.values(limits)) assert.ok(limit > 0)
  assert.ok(promises.unknownIsFinalAfterMs >= 0)
}

async function assertRepeat({ rail, order, pass, movements }: RailOnTrial): Promise<void> {
  const one = order()
  if (!rail.promises.keyIsUnique) {
    await rail.payouts!.create(one, never)
    assert.equal(await movements(one.key), 1)
    return
  }
  const repeats = Array.from({ length: 5 }, () => rail.payouts!.create(one, never))
  for (const { kind } of await Promise.all(repeats)) {
    assert.ok(kind === 'accepted' || kind === 'succeeded', kind)
  }
  pass()
  await rail.payouts!.create(one, never)
  assert.equal(await movements(one.key), 1)
}

async function assertTwo({ rail, order, movements }: RailOnTrial): Promise<void> {
  const orders = [order(), order()]
  assert.notEqual(orders[0]!.key, orders[1]!.key)
  for (const one of orders) {
    await rail.payouts!.create(one, never)
    assert.equal(await movements(one.key), 1)
  }
}

async function assertUnknown({ rail, order, movements }: RailOnTrial): Promise<void> {
  const one = order()
  const { kind } = await rail.payouts!.lookup(one, never)
  assert.equal(kind, 'unknown')
  assert.equal(await movements(one.key), 0, 'to ask is not to send')
}

async function assertStable({ rail, order, pass }: RailOnTrial): Promise<void> {
  const one = order()
  const { reference } = await rail.payouts!.create(one, never)
  const early = await rail.payouts!.lookup(one, never)
  assert.ok(['pending', ...finals].includes(early.kind), early.kind)
  pass()
  const result = await rail.payouts!.lookup(one, never)
  assert.ok(finals.includes(result.kind), result.kind)
  assert.equal(result.reference, reference, 'it calls the payment the same')
  pass()
  assert.deepEqual(await rail.payouts!.lookup(one, never), result)
}

/** An answer that it is unclear is as good as none: both lead to a lookup. */
async function assertAbort({ rail, order, movements }: RailOnTrial): Promise<void> {
  const one = order()
  for (const ask of [rail.payouts!.create, rail.payouts!.lookup]) {
    const outcome = await ask(one, over).catch(() => ({ kind: 'unclear' }))
    assert.equal(outcome.kind, 'unclear')
  }
  assert.equal(await movements(one.key), 0)
}

async function assertSigned({ rail, order, pass, callback }: RailOnTrial): Promise<void> {
  const { verify } = rail.callbacks!
  const one = order()
  await rail.payouts!.create(one, never)
  pass()
  const { headers, body } = await callback(one)
  assert.equal(verify({ headers, body }), true)
  for (let index = 0; index < body.length; index += 7) {
    const tampered = Buffer.from(body)
    tampered[index]! ^= 1
    assert.equal(verify({ headers, body: tampered }), false)
  }
  const longer = Buffer.concat([body, Buffer.from(' ')])
  assert.equal(verify({ headers, body: longer }), false)
  assert.equal(verify({ headers, body: Buffer.alloc(0) }), false)
  assert.equal(verify({ headers: {}, body }), false)
  const emptied = Object.fromEntries(Object.keys(headers).map((header) => [header, '']))
  assert.equal(verify({ headers: emptied, body }), false)
}

async function assertNews({ rail, order, pass, callback }: RailOnTrial): Promise<void> {
  const { translate } = rail.callbacks!
  const one = order()
  const { reference } = await rail.payouts!.create(one, never)
  pass()
  const message = await callback(one)
  const news = translate(message)
  assert.equal(news.key, one.key)
  const { kind } = await rail.payouts!.lookup(one, never)
  assert.equal(news.kind, kind)
  assert.deepEqual([news.amount, news.currency], [one.amount, one.currency])
  assert.equal(news.reference, reference)
  for (const body of ['', 'null', '[]', '{}', '"text"', '{"key":1}', 'no json']) {
    assert.throws(() => translate({ ...message, body: Buffer.from(body) }), body)
  }
}

async function assertSaid({ rail, order, pass, callback, secrets }: RailOnTrial): Promise<void> {
  const one = order()
  const told = [await rail.payouts!.create(one, never), await rail.payouts!.lookup(one, never)]
  pass()
  told.push(await rail.payouts!.lookup(one, never))
  const news = rail.callbacks!.translate(await callback(one))
  for (const { said } of [...told, news]) {
    assert.ok(said.length > 0 && said.length <= 500)
    for (const secret of [...secrets, one.accountNumber, one.accountName]) {
      assert.ok(!said.includes(secret), 'a secret or a person is named')
    }
  }
}
