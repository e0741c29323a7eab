import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { divideRoundingDown, divideRoundingHalfEven, divideRoundingUp } from './rounding.ts'

const anyInteger = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
const anyDivisor = anyInteger.filter((value) => value !== 0n)

test('down goes towards negative and up towards positive infinity, whatever the signs', () => {
  assert.equal(divideRoundingDown(7n, 2n), 3n)
  assert.equal(divideRoundingDown(-7n, 2n), -4n)
  assert.equal(divideRoundingDown(7n, -2n), -4n)
  assert.equal(divideRoundingDown(-7n, -2n), 3n)
  assert.equal(divideRoundingUp(7n, 2n), 4n)
  assert.equal(divideRoundingUp(-7n, 2n), -3n)
  assert.equal(divideRoundingUp(7n, -2n), -3n)
  assert.equal(divideRoundingUp(-7n, -2n), 4n)
})

test('half even goes to the nearest, and from the middle to the even neighbour', () => {
  const halves: [bigint, bigint][] = [
    [1n, 0n],
    [3n, 2n],
    [5n, 2n],
    [7n, 4n],
    [-1n, 0n],
    [-3n, -2n],
    [-5n, -2n],
  ]
  for (const [numerator, expected] of halves) {
    assert.equal(divideRoundingHalfEven(numerator, 2n), expected)
    assert.equal(divideRoundingHalfEven(-numerator, -2n), expected)
  }
  assert.equal(divideRoundingHalfEven(26n, 10n), 3n)
  assert.equal(divideRoundingHalfEven(-26n, 10n), -3n)
  assert.equal(divideRoundingHalfEven(24n, 10n), 2n)
})

test('down and up enclose the quotient, and meet exactly when it is whole', () => {
  fc.assert(
    fc.property(anyInteger, anyDivisor, (numerator, denominator) => {
      const [lower, upper] = [
        divideRoundingDown(numerator, denominator),
        divideRoundingUp(numerator, denominator),
      ]
      const sign = denominator < 0n ? -1n : 1n
      assert.ok(lower * denominator * sign <= numerator * sign)
      assert.ok(upper * denominator * sign >= numerator * sign)
      assert.equal(upper - lower, numerator % denominator === 0n ? 0n : 1n)
    }),
  )
})

test('half even is never further than half a unit from the quotient', () => {
  fc.assert(
    fc.property(anyInteger, anyDivisor, (numerator, denominator) => {
      const rest = numerator - divideRoundingHalfEven(numerator, denominator) * denominator
      const size = (value: bigint) => (value < 0n ? -value : value)
      assert.ok(2n * size(rest) <= size(denominator))
    }),
  )
})

test('no rounding divides by zero', () => {
  for (const divide of [divideRoundingDown, divideRoundingUp, divideRoundingHalfEven]) {
    assert.throws(() => divide(1n, 0n), RangeError)
  }
})
