import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencies, currency, decimalsOf, maxMinor } from './currencies.ts'

test('every currency has the decimals of ISO 4217', () => {
  const wholeOnly = currencies.filter((info) => info.decimals === 0).map((info) => info.code)
  assert.deepEqual(wholeOnly, ['RWF', 'UGX', 'XAF', 'XOF'])
  assert.ok(currencies.every((info) => info.decimals === 0 || info.decimals === 2))
  assert.equal(decimalsOf('KES'), 2)
  assert.equal(decimalsOf('UGX'), 0)
  assert.throws(() => decimalsOf('ABC'), { reason: 'unknown-currency' })
})

test('every supported country has exactly one currency of its own', () => {
  const countries = currencies.flatMap((info) => info.countries)
  assert.equal(countries.length, 23)
  assert.equal(new Set(countries).size, 23)
})

test('a code names one currency, and only in upper case', () => {
  assert.equal(new Set(currencies.map((info) => info.code)).size, currencies.length)
  assert.equal(currency('KES')?.homeCountry, 'KE')
  assert.equal(currency('kes'), undefined)
  assert.equal(currency('toString'), undefined)
})

test('only USD, EUR, XOF and XAF can have wallets in several country scopes', () => {
  const several = currencies.filter((info) => info.hasSeveralScopes)
  assert.deepEqual(
    several.map((info) => info.code),
    ['EUR', 'USD', 'XAF', 'XOF'],
  )
  for (const info of currencies) {
    assert.equal(info.homeCountry === undefined, info.hasSeveralScopes)
    assert.equal(info.scopes.length > 1, info.hasSeveralScopes)
  }
})

test('the default and the funded scopes of a currency are scopes it may have', () => {
  for (const info of currencies) {
    assert.ok(info.scopes.includes(info.defaultScope), info.code)
    assert.ok(info.fundedScopes.includes(info.defaultScope), info.code)
    for (const scope of info.fundedScopes) assert.ok(info.scopes.includes(scope), info.code)
    assert.equal(new Set(info.scopes).size, info.scopes.length)
  }
})

test('the largest amount stays exact in a JSON number', () => {
  assert.ok(maxMinor <= BigInt(Number.MAX_SAFE_INTEGER))
})
