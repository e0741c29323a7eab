import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '../../test/app-harness.ts'
import { emptyDatabase, testDatabase, waitFor } from '../../test/harness.ts'
import { type Clock, manualClock, systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { followChanges } from '../db/changes.ts'
import { migrate } from '../db/migrate.ts'
import { connect, type Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { currencies, decimalsOf } from '../money/currencies.ts'
import { powerOfTen } from '../money/decimal.ts'
import { rateFromText } from '../money/rates.ts'
import type { RateOrigin } from './rate-quotes.ts'
import { storeRates } from './rate-store.ts'
import { createRates } from './rates.ts'
import { ratesSetup, seedRatesFor } from './rates-setup.ts'
import { refreshRates, setRate } from './refresh-rates.ts'

type Ending = { after(run: () => Promise<void>): void }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxAgeMs = 48 * hourMs
const nowMs = Date.UTC(2026, 8, 15, 9)

async function ratesOn(
  t: Ending,
  url: string,
  clock: Clock,
  source: 'file' | 'feed' = 'file',
  fileIsShipped = true,
) {
  const db = connect(url, { maxConnections: 3 })
  const changes = await followChanges(db, systemClock)
  const rates = await createRates({
    ...{ db, changes, clock, log: silentLog, source, fileIsShipped, maxAgeMs },
  })
  t.after(async () => {
    await rates.stop()
    await changes.stop()
    await db.end({ timeout: 1 })
  })
  return rates
}

async function put(db: Db, pair: string, sides: string, atMs = nowMs, source?: RateOrigin) {
  const [base = '', quote = ''] = pair.split('/')
  const [buy = '', sell = buy] = sides.split(' ')
  const rate = { base, quote, buy: rateFromText(buy), sell: rateFromText(sell), atMs }
  await storeRates(db, [{ ...rate, source: source ?? 'feed' }])
}

/** A migrated database without rates. */
async function bareDatabase(t: Ending) {
  const { url, sql: db, drop } = await testDatabase()
  t.after(drop)
  await db`delete from rates`
  return { url, db }
}

const unavailable = (error: unknown) =>
  error instanceof AppError && error.code === 'FX_RATE_UNAVAILABLE'

test('a payout costs the sell side of its currency, or the inverse of the buy side, rounded up', async (t) => {
  const { url, db } = await bareDatabase(t)
  await put(db, 'USD/KES', '128 130')
  await put(db, 'USD/UGX', '3600 3700')
  const rates = await ratesOn(t, url, manualClock(nowMs))
  const cost = (amountMinor: bigint, currency: string, debitCurrency: string) =>
    rates.costOf({ amountMinor, currency, debitCurrency, environment: 'sandbox' })
  assert.deepEqual(cost(100n, 'USD', 'KES'), { debitMinor: 13_000n, rate: '130' })
  assert.deepEqual(cost(12_800n, 'KES', 'USD'), { debitMinor: 100n, rate: '0.0078125' })
  assert.equal(cost(12_801n, 'KES', 'USD').debitMinor, 101n)
  assert.deepEqual(cost(777n, 'KES', 'KES'), { debitMinor: 777n, rate: '1' })
  // KES 3,600 are bought with UGX: 3600 / 128 dollars, each at 3,700.
  assert.equal(cost(360_000n, 'KES', 'UGX').debitMinor, 104_063n)
  const brings = rates.proceedsOf({
    amountMinor: 3700n,
    currency: 'UGX',
    walletCurrency: 'KES',
    environment: 'sandbox',
  })
  assert.equal(brings.walletMinor, 12_800n)
  assert.equal(
    rates.proceedsOf({
      amountMinor: 1n,
      currency: 'UGX',
      walletCurrency: 'USD',
      environment: 'sandbox',
    }).walletMinor,
    0n,
  )
})

test('without a pair, or with one that is too old, nothing is converted', async (t) => {
  const { url, db } = await bareDatabase(t)
  await put(db, 'USD/KES', '128 130')
  const clock = manualClock(nowMs)
  const rates = await ratesOn(t, url, clock)
  const cost = (currency: string, debitCurrency: string) =>
    rates.costOf({ amountMinor: 100n, currency, debitCurrency, environment: 'sandbox' })
  assert.throws(() => cost('NGN', 'KES'), unavailable)
  clock.advance(maxAgeMs)
  assert.equal(cost('USD', 'KES').debitMinor, 13_000n)
  clock.advance(1)
  assert.throws(() => cost('USD', 'KES'), unavailable)
  assert.throws(() => cost('KES', 'USD'), unavailable)
  assert.equal(cost('KES', 'KES').debitMinor, 100n)
  assert.throws(() => cost('USD', 'GBP'), /The currency GBP is not supported/)
})

test('a pair stored both ways round does not let anybody gain', async (t) => {
  const { url, db } = await bareDatabase(t)
  await put(db, 'USD/KES', '128 130')
  await put(db, 'KES/USD', '0.009', nowMs - 1)
  const rates = await ratesOn(t, url, manualClock(nowMs))
  const there = rates.proceedsOf({
    amountMinor: 13_000n,
    currency: 'KES',
    walletCurrency: 'USD',
    environment: 'sandbox',
  })
  assert.equal(there.walletMinor, 100n)
})

test('a rate that a node stores is used by the others at once', async (t) => {
  const { url, db } = await bareDatabase(t)
  const clock = manualClock(nowMs)
  const rates = await ratesOn(t, url, clock)
  const quote = { buy: rateFromText('128'), sell: rateFromText('130') }
  await db.begin((tx) => setRate(tx, clock, { base: 'USD', quote: 'KES', ...quote }))
  await waitFor(() => rates.history().length === 1)
  const asked = {
    amountMinor: 1n,
    currency: 'USD',
    debitCurrency: 'KES',
    environment: 'sandbox' as const,
  }
  assert.equal(rates.costOf(asked).debitMinor, 130n)
})

test('made-up rates of the file are not used beside a feed', async (t) => {
  const { url, db } = await bareDatabase(t)
  await put(db, 'USD/KES', '128 130', nowMs, 'file')
  const rates = await ratesOn(t, url, manualClock(nowMs), 'feed')
  const asked = {
    amountMinor: 1n,
    currency: 'USD',
    debitCurrency: 'KES',
    environment: 'sandbox' as const,
  }
  assert.throws(() => rates.costOf(asked), unavailable)
  assert.deepEqual(rates.history(), [])
})

test('a first start has thirty days of rates for every currency, and stays fresh', async (t) => {
  const { sql: db, url } = await emptyDatabase(t)
  await migrate(db)
  const clock = manualClock(nowMs)
  const setup = ratesSetup(readConfig({}))
  await Promise.all([seedRatesFor(db, clock, setup), seedRatesFor(db, clock, setup)])
  const rates = await ratesOn(t, url, clock)
  const history = rates.history('USD', 'KES')
  assert.equal(history.length, 30)
  assert.equal(new Set(history.map(({ updatedAt }) => updatedAt.slice(0, 10))).size, 30)
  assert.deepEqual(
    history,
    history.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
  )
  assert.equal(history[0]?.updatedAt, new Date(nowMs).toISOString())
  for (const { buy, sell } of history) assert.ok(buy > 125 && buy < sell && sell < 134)
  for (const { code } of currencies) {
    assert.ok(
      rates.costOf({
        amountMinor: 1n,
        currency: 'KES',
        debitCurrency: code,
        environment: 'sandbox',
      }).debitMinor,
    )
  }
  for (let hours = 0; hours < 72; hours++) {
    clock.advance(hourMs)
    await refreshRates({ ...setup, db, clock, log: silentLog })
  }
  const later = await ratesOn(t, url, clock)
  assert.equal(later.history('USD', 'KES').length, 30)
  assert.ok(
    later.costOf({
      amountMinor: 1n,
      currency: 'KES',
      debitCurrency: 'USD',
      environment: 'sandbox',
    }),
  )
  assert.equal(later.history('KES', 'UGX').length, 30, 'also of pairs that are not stored')
})

const shared = await testDatabase()
const all = await ratesOn({ after }, shared.url, systemClock)
after(() => shared.drop())

test('between any two currencies, going there and back never gains', () => {
  const code = fc.constantFrom(...currencies.map((each) => each.code))
  fc.assert(
    fc.property(code, code, fc.bigInt(1n, 10n ** 15n), (from, to, amountMinor) => {
      const there = all.proceedsOf({
        amountMinor,
        currency: from,
        walletCurrency: to,
        environment: 'sandbox',
      })
      const back = all.proceedsOf({
        amountMinor: there.walletMinor,
        currency: to,
        walletCurrency: from,
        environment: 'sandbox',
      })
      assert.ok(back.walletMinor <= amountMinor)
      const cost = all.costOf({
        amountMinor,
        currency: from,
        debitCurrency: to,
        environment: 'sandbox',
      })
      assert.ok(cost.debitMinor >= there.walletMinor)
      assert.ok(cost.debitMinor > 0n, 'nothing is free')
    }),
    { numRuns: 300 },
  )
})

test('a conversion through a third currency is rounded once, by less than a minor unit', () => {
  const scale = powerOfTen(18)
  for (const [from, to] of [
    ['UGX', 'KES'],
    ['RWF', 'UGX'],
    ['NGN', 'XOF'],
  ] as const) {
    const asked = {
      amountMinor: 123_457n,
      currency: from,
      debitCurrency: to,
      environment: 'sandbox' as const,
    }
    const { debitMinor, rate } = all.costOf(asked)
    const { numerator, denominator } = rateFromText(rate.slice(0, 18))
    const exact =
      (asked.amountMinor * numerator * powerOfTen(decimalsOf(to)) * scale) /
      (denominator * powerOfTen(decimalsOf(from)))
    const above = debitMinor * scale - exact
    assert.ok(above >= 0n && above <= scale + scale / 1000n, `${from} ${to}`)
  }
})

test('thirty days are the last thirty, not one more', async (t) => {
  const { url, db } = await bareDatabase(t)
  for (let days = 0; days <= 31; days++) {
    await put(db, 'USD/KES', `${100 + days}`, nowMs - days * dayMs)
    await put(db, 'USD/KES', '1', nowMs - days * dayMs - hourMs)
  }
  const rates = await ratesOn(t, url, manualClock(nowMs))
  const history = rates.history()
  assert.deepEqual(
    history.map(({ buy }) => buy),
    Array.from({ length: 30 }, (_, days) => 100 + days),
  )
})

test('live money is never converted at the made-up rates of the shipped file', async (t) => {
  const { url, db } = await bareDatabase(t)
  await put(db, 'USD/KES', '128 130', nowMs, 'file')
  const rates = await ratesOn(t, url, manualClock(nowMs))
  const asked = { amountMinor: 100n, currency: 'USD', debitCurrency: 'KES' }
  assert.equal(rates.costOf({ ...asked, environment: 'sandbox' }).debitMinor, 13_000n)
  assert.throws(() => rates.costOf({ ...asked, environment: 'live' }), unavailable)
  const own = await ratesOn(t, url, manualClock(nowMs), 'file', false)
  assert.equal(own.costOf({ ...asked, environment: 'live' }).debitMinor, 13_000n)
})
