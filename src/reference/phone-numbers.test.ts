import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/mobile'
import { currencies } from '../money/currencies.ts'
import { parsedDigits, phoneDigits } from './phone-numbers.ts'

test('the test numbers of the sandbox are numbers of their countries', () => {
  for (const last of [1, 2, 3, 4, 5, 6, 7, 8]) {
    assert.equal(phoneDigits(`+25470000000${last}`, 'KE'), `25470000000${last}`)
  }
  assert.equal(phoneDigits('+256772000001', 'UG'), '256772000001')
  assert.equal(phoneDigits('+233240000001', 'GH'), '233240000001')
})

/** One number of each country, with its country code. */
const numbers: Record<string, string> = {
  BF: '22670000001',
  BJ: '2290197000001',
  BW: '26771000001',
  CD: '243810000001',
  CG: '242060000001',
  CI: '2250700000001',
  CM: '237670000001',
  ET: '251911000001',
  GA: '24174000001',
  GH: '233240000001',
  GM: '2203000001',
  KE: '254700000001',
  LS: '26658000001',
  MW: '265990000001',
  MZ: '258840000001',
  NG: '2348030000001',
  RW: '250780000001',
  SL: '23276000001',
  SN: '221770000001',
  TZ: '255754000001',
  UG: '256772000001',
  ZA: '27720000001',
  ZM: '260970000001',
}

test('in every supported country a number is the same with and without plus', () => {
  const supported = new Set(currencies.flatMap(({ countries }) => countries))
  assert.deepEqual(Object.keys(numbers), [...supported].sort())
  for (const [country, digits] of Object.entries(numbers)) {
    assert.equal(phoneDigits(`+${digits}`, country), digits, country)
    assert.equal(phoneDigits(digits, country), digits, country)
  }
})

test('a number as it is dialled at home, or written with spaces, is understood', () => {
  assert.equal(phoneDigits('0700000001', 'KE'), '254700000001')
  assert.equal(phoneDigits('700000001', 'KE'), '254700000001')
  assert.equal(phoneDigits(' +254 700-000 001 ', 'KE'), '254700000001')
})

test('what is no mobile number of the country is refused', () => {
  const wrong = [
    '+256772000001',
    '256772000001',
    '+254202000001',
    '+25470000001',
    '+2547000000011',
    'call 0700000001',
    '0700000001 ext. 5',
    '+254700000001\u0000',
    '',
    '+',
    'x'.repeat(100_000),
    '1'.repeat(100_000),
  ]
  for (const text of wrong) assert.equal(phoneDigits(text, 'KE'), undefined, text.slice(0, 40))
  assert.equal(phoneDigits('+254700000001', 'XX'), undefined)
  assert.equal(phoneDigits('+254700000001', 'ke'), undefined)
})

test('the short way says the same as the parser, of any digits', () => {
  const countries = Object.keys(numbers) as CountryCode[]
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 5, maxLength: 11 })
  const written = fc.tuple(fc.constantFrom(...countries), fc.constantFrom('', '+'), digits)
  // A real number with a digit or two changed is more often one than any digits are.
  const near = fc.tuple(fc.constantFrom(...countries), fc.nat(6), fc.nat(9))
  fc.assert(
    fc.property(written, near, ([country, plus, rest], [other, place, digit]) => {
      const text = plus + getCountryCallingCode(country) + rest
      assert.equal(phoneDigits(text, country), parsedDigits(text, country), text)
      const known = [...numbers[other]!]
      known[known.length - 1 - place] = String(digit)
      const changed = known.join('')
      assert.equal(phoneDigits(changed, other), parsedDigits(changed, other), changed)
    }),
    { numRuns: 5000 },
  )
})
