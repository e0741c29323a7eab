import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencies, decimalsOf, maxMinor } from './currencies.ts'
import {
  compareRates,
  convert,
  convertScaled,
  costToBuyBase,
  costToBuyQuote,
  inverse,
  numberFromRate,
  pair,
  proceedsOfBase,
  proceedsOfQuote,
  type Rate,
  rateFromNumber,
  rateFromText,
  textFromRate,
} from './rates.ts'
import { divideRoundingDown, divideRoundingUp } from './rounding.ts'

const dollars = pair('USD', 'KES', rateFromText('128.5'), rateFromText('129.75'))

const anyAmount = fc.bigInt({ min: 1n, max: maxMinor })
const anyRate = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.integer({ min: 0, max: 6 }))
  .map(([digits, places]): Rate => ({ numerator: digits, denominator: 10n ** BigInt(places) }))
const anyPair = fc
  .tuple(
    fc.shuffledSubarray(
      currencies.map((info) => info.code),
      { minLength: 2 },
    ),
    anyRate,
    anyRate,
  )
  .map(([codes, a, b]) =>
    compareRates(a, b) <= 0 ? pair(codes[0]!, codes[1]!, a, b) : pair(codes[0]!, codes[1]!, b, a),
  )

test('obtaining base costs the sell side, giving base brings the buy side', () => {
  assert.equal(costToBuyBase(10_000n, dollars), 1_297_500n)
  assert.equal(proceedsOfBase(10_000n, dollars), 1_285_000n)
  assert.equal(costToBuyQuote(1_285_000n, dollars), 10_000n)
  assert.equal(proceedsOfQuote(1_297_500n, dollars), 10_000n)
})

test('a cost is rounded up and proceeds are rounded down', () => {
  assert.equal(costToBuyQuote(100n, dollars), 1n)
  assert.equal(proceedsOfQuote(100n, dollars), 0n)
  assert.equal(costToBuyQuote(1_285_001n, dollars), 10_001n)
  assert.equal(proceedsOfQuote(1_297_499n, dollars), 9_999n)
})

test('currencies with different decimals convert by their major units', () => {
  const uganda = pair('USD', 'UGX', rateFromText('3700'), rateFromText('3750.5'))
  assert.equal(costToBuyBase(100n, uganda), 3751n)
  assert.equal(proceedsOfBase(100n, uganda), 3700n)
  assert.equal(costToBuyQuote(3700n, uganda), 100n)
  assert.equal(convert(-1n, 'USD', 'UGX', rateFromText('3750.5'), divideRoundingDown), -38n)
})

test('converting there and back never gains, for any pair and amount', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (each, amount) => {
      assert.ok(proceedsOfQuote(proceedsOfBase(amount, each), each) <= amount)
      assert.ok(proceedsOfBase(proceedsOfQuote(amount, each), each) <= amount)
    }),
  )
})

test('paying a cost always covers the amount it was asked for', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (each, amount) => {
      const fair = { ...each, sell: each.buy }
      assert.ok(proceedsOfQuote(costToBuyBase(amount, fair), fair) >= amount)
      assert.ok(proceedsOfBase(costToBuyQuote(amount, fair), fair) >= amount)
      assert.ok(costToBuyBase(amount, each) >= proceedsOfBase(amount, each))
      assert.ok(costToBuyQuote(amount, each) >= proceedsOfQuote(amount, each))
    }),
  )
})

test('rounding costs the converting party less than one minor unit', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (each, amount) => {
      const exact = {
        numerator: amount * each.sell.numerator * 10n ** BigInt(decimalsOf(each.quote)),
        denominator: each.sell.denominator * 10n ** BigInt(decimalsOf(each.base)),
      }
      const cost = costToBuyBase(amount, each)
      const excess = cost * exact.denominator - exact.numerator
      assert.ok(excess >= 0n && excess < exact.denominator)
      assert.ok(cost > 0n)
    }),
  )
})

test('a rate is read exactly and written back as it was', () => {
  for (const text of ['129.75', '1', '0.000000000000000001', '123456789012345678', '0.1']) {
    assert.equal(textFromRate(rateFromText(text)), text)
  }
  assert.equal(numberFromRate(rateFromNumber(129.75)), 129.75)
  assert.deepEqual(rateFromNumber(1e-7), { numerator: 1n, denominator: 10n ** 7n })
  assert.equal(textFromRate(inverse(rateFromText('3'))), '0.333333333333333333')
})

test('a rate that is not a positive decimal of 18 digits is refused', () => {
  const refused = ['0', '-1', 'NaN', '', '1/3', '0.0000000000000000001', '1234567890123456789']
  for (const text of refused) {
    assert.throws(() => rateFromText(text), { name: 'MoneyError', reason: 'invalid-rate' })
  }
})

test('a pair that would sell below its buying price cannot be made', () => {
  const [low, high] = [rateFromText('1'), rateFromText('2')]
  assert.throws(() => pair('USD', 'KES', high, low), { reason: 'invalid-rate' })
  assert.throws(() => pair('USD', 'USD', low, low), { reason: 'invalid-rate' })
})

test('between 0, 2 and 3 decimals, there and back never gains, and costs under a unit', () => {
  const decimals = fc.constantFrom(0, 2, 3)
  const amount = fc.bigInt({ min: 1n, max: maxMinor })
  const price = fc.record({
    numerator: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    denominator: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  })
  fc.assert(
    fc.property(amount, decimals, decimals, price, (minor, from, to, rate) => {
      const there = convertScaled(minor, from, to, rate, divideRoundingDown)
      assert.ok(convertScaled(there, to, from, inverse(rate), divideRoundingDown) <= minor)
      const cost = convertScaled(minor, from, to, rate, divideRoundingUp)
      assert.ok(cost - there <= 1n)
    }),
  )
})
