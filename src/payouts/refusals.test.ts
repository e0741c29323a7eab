import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openWorld, payoutTo, type RailSetup, type World } from '../../test/payout-world.ts'
import type { Db } from '../db/pool.ts'
import { createPayout } from '../http/routes/create-payout.ts'

/**
 * One hash over every row of every table, so that not the least change goes unseen. That it was
 * asked for is on record, which is what the log of requests is for.
 */
async function contentOf(db: Db): Promise<string> {
  const tables = await db<{ name: string }[]>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename <> 'request_log' order by tablename`
  const hash = createHash('sha256')
  for (const { name } of tables) {
    const [row] = (await db.unsafe(
      `select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as sum from ${name} t`,
    )) as { sum: string }[]
    hash.update(`${name} ${row!.sum}\n`)
  }
  return hash.digest('hex')
}

const method = (change: object) => ({
  payoutMethod: { accountName: 'Amina', accountNumber: '+254700000000', ...change },
})
const bank = (change: object, more: object = {}) => ({
  destination: 'Bank Account',
  ...method({ accountNumber: '1234567890', code: '01', ...change }),
  ...more,
})
const inUganda = { currency: 'UGX', country: 'UG' }

/** Every field of the request, wrong in every way it can be, and what the caller is told. */
const invalid: Record<string, unknown>[] = [
  ...[undefined, null, '1000', 0, -1, 10.001, 1e14, 'NaN', true, {}].map((amount) => ({ amount })),
  ...[undefined, null, '', 5, 'x'.repeat(101), 'a\0b', 'line\nbreak'].map((externalReference) => ({
    externalReference,
  })),
  ...[7, 'KESX', undefined].map((currency) => ({ currency })),
  ...['Kenya', 'XX', '', undefined, 1].map((country) => ({ country })),
  ...['Pigeon', '', undefined, 4].map((destination) => ({ destination })),
  ...[undefined, 'text', 3].map((payoutMethod) => ({ payoutMethod })),
  ...['', undefined, 'x'.repeat(202), 'a\tb'].map((accountName) => method({ accountName })),
  ...['', undefined, '12', '+256700000000', 5].map((accountNumber) => method({ accountNumber })),
  method({ code: 'no such operator' }),
  ...[bank({ code: undefined }), bank({ code: 'no such bank' }), bank({ accountNumber: '1' })],
  bank({ code: 'x' }, inUganda),
  ...[{ destination: 'Paybill' }, { destination: 'Till' }],
  { destination: 'Paybill', ...method({ accountNumber: 'a', businessNumber: 'none' }) },
  { debitCurrency: 5 },
  { debitCurrency: 'KES', debitCountry: 'UG' },
  { debitCountry: 'Kenya' },
  { externalAccountId: 5 },
]

/** What is well-formed and still refused, by code. */
const refused: [code: string, body: Record<string, unknown>][] = [
  ['E-BEN.S-90', { externalAccountId: 'no id' }],
  ['E-BEN.S-90', { externalAccountId: '0199c2f4-8f6e-7abc-9def-0123456700a7' }],
  ['INSUFFICIENT_FUNDS', { amount: 100_000_001 }],
  ['INSUFFICIENT_FUNDS', { amount: 100, debitCurrency: 'USD', debitCountry: 'ZA' }],
  ['UNSUPPORTED_CURRENCY', { currency: 'JPY' }],
  ['UNSUPPORTED_CURRENCY', { currency: 'UGX' }],
  ['UNSUPPORTED_DESTINATION', { ...inUganda, destination: 'Till' }],
  ['DEBIT_CURRENCY_NOT_SUPPORTED', { debitCurrency: 'JPY' }],
  ['DEBIT_COUNTRY_REQUIRED', { debitCurrency: 'USD' }],
  ['MOMO_OPERATOR_ID_REQUIRED', { ...inUganda, ...method({ accountNumber: '+256700000000' }) }],
  ['AMOUNT_OUT_OF_BOUNDS', { amount: 0.99 }],
  [
    'PROVIDER_NOT_FOUND',
    {
      ...{ currency: 'GHS', country: 'GH' },
      ...method({ accountNumber: '+233240000000', code: 'mtn' }),
    },
  ],
]

const weekMs = 7 * 86_400_000

/** A rail that does not serve Ghana. */
const withoutGhana: RailSetup = {
  name: 'sandbox',
  faults: {},
  around: (rail) => ({ ...rail, routes: rail.routes.filter(({ country }) => country !== 'GH') }),
}

async function assertNoTrace(
  world: World,
  refuse: () => ReturnType<World['pay']>,
  code: string,
): Promise<void> {
  const before = await contentOf(world.db)
  const { status, body, text } = await refuse()
  assert.ok(status >= 400 && status !== 500, text)
  assert.equal(body.errorCode, code, text)
  assert.equal(body.success, false)
  assert.equal(await contentOf(world.db), before, `${code} left a trace`)
}

test('a refused payout leaves the database as it was, row for row', async (t) => {
  const world = await openWorld(t, { rails: [withoutGhana] })
  const used = await world.pay(payoutTo('000'), { headers: { 'idempotency-key': 'used' } })
  assert.equal(used.status, 200)
  for (const change of invalid) {
    const body = payoutTo('000', change)
    await assertNoTrace(world, () => world.pay(body), 'VALIDATION_ERROR')
  }
  for (const [code, change] of refused) {
    await assertNoTrace(world, () => world.pay(payoutTo('000', change)), code)
  }
  const { externalReference } = used.body.data as { externalReference: string }
  const repeated = payoutTo('000', { externalReference })
  await assertNoTrace(world, () => world.pay(repeated), 'E-API-D.S-28')
  await assertNoTrace(world, () => world.pay({ ...repeated, amount: -1 }), 'E-API-D.S-28')
  const headers = { 'idempotency-key': 'used' }
  const reused = () => world.pay(payoutTo('000'), { headers })
  await assertNoTrace(world, reused, 'IDEMPOTENCY_KEY_REUSED')
  const anonymous = () => world.pay(payoutTo('000'), { headers: { authorization: 'Bearer no' } })
  await assertNoTrace(world, anonymous, 'UNAUTHORIZED')

  world.clock.advance(weekMs)
  const stale = () => world.pay(payoutTo('000', { debitCurrency: 'UGX' }))
  // The token is a new one by now, and its exchange does leave a trace.
  await world.pay(payoutTo('000', { amount: -1 }))
  await assertNoTrace(world, stale, 'FX_RATE_UNAVAILABLE')
})

test('every refusal that the description of the operation names is tried here', () => {
  const tried = new Set([
    ...refused.map(([code]) => code),
    ...['E-API-D.S-28', 'IDEMPOTENCY_KEY_REUSED', 'FX_RATE_UNAVAILABLE'],
  ])
  assert.deepEqual([...tried].sort(), [...createPayout.errors].sort())
})
