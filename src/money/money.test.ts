import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  add,
  assertSameCurrency,
  compare,
  equals,
  isNegative,
  isZero,
  money,
  negate,
  subtract,
  sum,
  zero,
} from './money.ts'

const shillings = (amount: bigint) => money(amount, 'KES')

test('amounts of one currency add, subtract and compare as integers', () => {
  assert.deepEqual(add(shillings(150n), shillings(50n)), shillings(200n))
  assert.deepEqual(subtract(shillings(50n), shillings(150n)), shillings(-100n))
  assert.equal(compare(shillings(1n), shillings(2n)), -1)
  assert.equal(compare(shillings(2n), shillings(1n)), 1)
  assert.equal(compare(shillings(2n), shillings(2n)), 0)
  assert.ok(isZero(zero('KES')))
  assert.ok(!isZero(shillings(-1n)))
  assert.ok(isNegative(shillings(-1n)))
})

test('amounts of different currencies never meet in a calculation', () => {
  const other = money(1n, 'UGX')
  const isMismatch = { name: 'MoneyError', reason: 'currency-mismatch' }
  for (const operation of [add, subtract, compare, assertSameCurrency]) {
    assert.throws(() => operation(shillings(1n), other), isMismatch)
  }
  assert.throws(() => sum('KES', [other]), isMismatch)
  assert.ok(!equals(shillings(1n), other))
})

test('money of an unknown currency cannot be made', () => {
  for (const code of ['', 'kes', 'XXX', '__proto__']) {
    assert.throws(() => money(1n, code), { reason: 'unknown-currency' })
  }
})

test('adding and then subtracting gives back the same money, whatever its size', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      const [first, second] = [shillings(a), shillings(b)]
      assert.ok(equals(subtract(add(first, second), second), first))
      assert.ok(equals(sum('KES', [first, second, negate(second)]), first))
    }),
  )
})
