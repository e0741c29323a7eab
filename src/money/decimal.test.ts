import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalFromText, powerOfTen, textFromScaled } from './decimal.ts'

test('a decimal is read exactly, with its exponent and without trailing zeros', () => {
  assert.deepEqual(decimalFromText('12.340'), { digits: 1234n, places: 2 })
  assert.deepEqual(decimalFromText('1e-7'), { digits: 1n, places: 7 })
  assert.deepEqual(decimalFromText('1.25e+21'), { digits: 125n * 10n ** 19n, places: 0 })
  assert.deepEqual(decimalFromText('-120'), { digits: -120n, places: 0 })
  assert.deepEqual(decimalFromText('0.000'), { digits: 0n, places: 0 })
})

test('what is not a decimal is refused without being worked on', () => {
  for (const text of ['NaN', 'Infinity', '', '1.', '.1', '1e', '0x1', '9'.repeat(41), '1e9999']) {
    assert.equal(decimalFromText(text), undefined)
  }
})

test('every double is read as the value its shortest text stands for', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const decimal = decimalFromText(String(value))
      assert.ok(decimal)
      assert.equal(Number(`${decimal.digits}e-${decimal.places}`), value === 0 ? 0 : value)
    }),
  )
})

test('scaled text round-trips for any number of places, three decimals included', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(6), (digits, places) => {
      const decimal = decimalFromText(textFromScaled(digits, places))
      assert.ok(decimal)
      assert.equal(decimal.digits * powerOfTen(places - decimal.places), digits)
    }),
  )
  assert.equal(textFromScaled(-5n, 3), '-0.005')
})
