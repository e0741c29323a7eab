import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencies } from './currencies.ts'
import { powerOfTen } from './decimal.ts'
import { invertQuote, isJump, joinQuotes, type Quote, quoteAround } from './quotes.ts'
import { compareRates, costOf, proceedsOf, rateFromText, textFromRate } from './rates.ts'

const middle = fc
  .tuple(fc.bigInt(1n, 10n ** 9n), fc.integer({ min: 0, max: 6 }))
  .map(([digits, places]) => ({ numerator: digits, denominator: powerOfTen(places) }))
const quote = fc
  .tuple(middle, fc.integer({ min: 0, max: 2000 }))
  .map(([rate, spread]) => quoteAround(rate, spread))
const code = fc.constantFrom(...currencies.map((each) => each.code))
const amount = fc.bigInt(1n, 10n ** 15n)

test('a spread lies around the middle, and selling is never below buying', () => {
  fc.assert(
    fc.property(middle, fc.integer({ min: 0, max: 2000 }), (rate, spread) => {
      const { buy, sell } = quoteAround(rate, spread)
      assert.ok(compareRates(buy, rate) <= 0)
      assert.ok(compareRates(sell, rate) >= 0)
      assert.deepEqual(rateFromText(textFromRate(buy)).numerator > 0n, true)
    }),
  )
  const { buy, sell } = quoteAround(rateFromText('129.2'), 100)
  assert.deepEqual([textFromRate(buy), textFromRate(sell)], ['128.554', '129.846'])
})

test('converting there and back never gains, directly, turned around or through a third', () => {
  const paths = fc.oneof(
    quote,
    quote.map(invertQuote),
    fc.tuple(quote, quote).map(([first, second]) => joinQuotes(first, invertQuote(second))),
  )
  fc.assert(
    fc.property(paths, code, code, amount, (path, base, other, minor) => {
      const received = proceedsOf(minor, base, other, path.buy)
      const back = proceedsOf(received, other, base, invertQuote(path).buy)
      assert.ok(back <= minor)
      assert.ok(costOf(minor, base, other, path.sell) >= received)
    }),
    { numRuns: 500 },
  )
})

test('rounding is against the converting party, by less than one minor unit', () => {
  const decimals = (each: string) => currencies.find((info) => info.code === each)!.decimals
  fc.assert(
    fc.property(quote, quote, code, code, amount, (first, second, base, other, minor) => {
      const { buy, sell } = joinQuotes(first, second)
      const exact = ({ numerator, denominator }: Quote['buy']) => ({
        numerator: minor * numerator * powerOfTen(decimals(other)),
        denominator: denominator * powerOfTen(decimals(base)),
      })
      const up = exact(sell)
      const above = costOf(minor, base, other, sell) * up.denominator - up.numerator
      assert.ok(above >= 0n && above < up.denominator)
      const down = exact(buy)
      const below = down.numerator - proceedsOf(minor, base, other, buy) * down.denominator
      assert.ok(below >= 0n && below < down.denominator)
    }),
    { numRuns: 500 },
  )
})

test('a move of more than the limit is a jump, up or down, on either side', () => {
  const before = { buy: rateFromText('100'), sell: rateFromText('110') }
  const to = (buy: string, sell: string) =>
    isJump(before, { buy: rateFromText(buy), sell: rateFromText(sell) }, 2000)
  assert.equal(to('120', '132'), false)
  assert.equal(to('80', '88'), false)
  assert.equal(to('120.01', '132'), true)
  assert.equal(to('100', '132.01'), true)
  assert.equal(to('79.99', '110'), true)
  assert.equal(to('10000', '11000'), true)
})
