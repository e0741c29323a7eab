import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decimalFromMinor,
  formatMinor,
  minorFromNumber,
  minorFromText,
  numberFromMinor,
  sayMinor,
  textFromMinor,
} from './amounts.ts'
import { currencies, maxMinor } from './currencies.ts'
import { decimalFromText } from './decimal.ts'

const anyCurrency = fc.constantFrom(...currencies.map((info) => info.code))
const anyPayment = fc.bigInt({ min: 1n, max: maxMinor })

test('a number becomes minor units exactly, also where float arithmetic would be off', () => {
  assert.equal(minorFromNumber(1000, 'KES'), 100_000n)
  assert.equal(minorFromNumber(1.15, 'KES'), 115n)
  assert.equal(minorFromNumber(4.35, 'KES'), 435n)
  assert.equal(minorFromNumber(0.07, 'USD'), 7n)
  assert.equal(minorFromNumber(1000, 'UGX'), 1000n)
  assert.equal(minorFromNumber(1e13, 'KES'), maxMinor)
  assert.equal(minorFromNumber(1e15, 'UGX'), maxMinor)
})

test('a refused amount is told why, in words that follow the name of the field', () => {
  const refusals: [number, string, string, string][] = [
    [Number.NaN, 'KES', 'not-a-number', 'must be a number'],
    [Number.POSITIVE_INFINITY, 'KES', 'not-a-number', 'must be a number'],
    [Number.NEGATIVE_INFINITY, 'KES', 'not-a-number', 'must be a number'],
    [0, 'KES', 'zero', 'must be greater than zero'],
    [-0, 'KES', 'zero', 'must be greater than zero'],
    [-5, 'KES', 'negative', 'must not be negative'],
    [10.505, 'KES', 'too-many-decimals', 'must have at most 2 decimals for KES'],
    [5e-324, 'KES', 'too-many-decimals', 'must have at most 2 decimals for KES'],
    [1e-7, 'KES', 'too-many-decimals', 'must have at most 2 decimals for KES'],
    [10.5, 'UGX', 'too-many-decimals', 'must be a whole number for UGX'],
    [1e13 + 0.01, 'KES', 'too-large', 'must be at most KES 10,000,000,000,000.00'],
    [1e21, 'UGX', 'too-large', 'must be at most UGX 1,000,000,000,000,000'],
    [Number.MAX_VALUE, 'KES', 'too-large', 'must be at most KES 10,000,000,000,000.00'],
    [1, 'ABC', 'unknown-currency', 'must be a supported currency, not ABC'],
  ]
  for (const [value, code, reason, message] of refusals) {
    assert.throws(() => minorFromNumber(value, code), { name: 'MoneyError', reason, message })
  }
})

test('every amount of every currency survives the way to JSON and back', () => {
  fc.assert(
    fc.property(anyPayment, anyCurrency, (minor, code) => {
      const json = JSON.stringify(numberFromMinor(minor, code))
      assert.equal(minorFromNumber(JSON.parse(json), code), minor)
      assert.equal(minorFromText(textFromMinor(minor, code), code), minor)
    }),
    { numRuns: 1000 },
  )
})

test('a JSON number never shows more decimals than its currency has', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -maxMinor, max: maxMinor }), anyCurrency, (minor, code) => {
      const info = currencies.find((each) => each.code === code)
      const decimal = decimalFromText(String(numberFromMinor(minor, code)))
      assert.ok(decimal && info && decimal.places <= info.decimals)
    }),
  )
})

test('a whole amount is rendered without decimals, a fractional one with all in text', () => {
  assert.equal(JSON.stringify(numberFromMinor(100_000n, 'KES')), '1000')
  assert.equal(JSON.stringify(numberFromMinor(1050n, 'KES')), '10.5')
  assert.equal(numberFromMinor(-1n, 'KES'), -0.01)
  assert.equal(Object.is(numberFromMinor(0n, 'KES'), 0), true)
  assert.equal(textFromMinor(100_000n, 'KES'), '1000')
  assert.equal(textFromMinor(1050n, 'KES'), '10.50')
  assert.equal(textFromMinor(-5n, 'KES'), '-0.05')
  assert.equal(textFromMinor(1050n, 'UGX'), '1050')
})

test('the text of a sum beyond 2^53 is still exact', () => {
  assert.equal(textFromMinor(10n ** 30n + 1n, 'KES'), '10000000000000000000000000000.01')
})

test('typed amounts are plain decimals and nothing else', () => {
  assert.equal(minorFromText('10.5', 'KES'), 1050n)
  assert.equal(minorFromText('10.500', 'KES'), 1050n)
  for (const text of ['', ' 1', '1e3', '0x10', '1,000', '.5', '5.', '+5', '١', '1'.repeat(50)]) {
    assert.throws(() => minorFromText(text, 'KES'), { reason: 'not-a-number' })
  }
})

test('people read thousands separators and every decimal', () => {
  assert.equal(formatMinor(100_000n, 'KES'), 'KES 1,000.00')
  assert.equal(formatMinor(-50n, 'KES'), 'KES -0.50')
  assert.equal(formatMinor(-123_456_789n, 'KES'), 'KES -1,234,567.89')
  assert.equal(formatMinor(1_234_567n, 'UGX'), 'UGX 1,234,567')
  assert.equal(formatMinor(0n, 'UGX'), 'UGX 0')
})

test('a table has every decimal and no separators, a sentence has both', () => {
  assert.equal(decimalFromMinor(123_450n, 'KES'), '1234.50')
  assert.equal(decimalFromMinor(-5n, 'KES'), '-0.05')
  assert.equal(decimalFromMinor(1050n, 'UGX'), '1050')
  assert.equal(sayMinor(100_000n, 'KES'), '1,000.00 KES')
  assert.equal(sayMinor(-1_234_567n, 'UGX'), '-1,234,567 UGX')
})
