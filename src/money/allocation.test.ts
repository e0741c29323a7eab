import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allocate, type FeePlan, feeOf } from './allocation.ts'
import { maxMinor } from './currencies.ts'

const sum = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n)

test('an amount that does not divide evenly favours the largest remainders, then the first', () => {
  assert.deepEqual(allocate(100n, [1n, 1n, 1n]), [34n, 33n, 33n])
  assert.deepEqual(allocate(-100n, [1n, 1n, 1n]), [-34n, -33n, -33n])
  assert.deepEqual(allocate(10n, [15n, 25n, 60n]), [2n, 2n, 6n])
  assert.deepEqual(allocate(5n, [0n, 7n]), [0n, 5n])
  assert.deepEqual(allocate(0n, [3n, 4n]), [0n, 0n])
})

test('the parts always sum to the amount and are less than one unit off their share', () => {
  const anyWeights = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 6n }), { minLength: 1, maxLength: 20 })
    .filter((weights) => sum(weights) > 0n)
  fc.assert(
    fc.property(fc.bigInt({ min: -maxMinor, max: maxMinor }), anyWeights, (amount, weights) => {
      const parts = allocate(amount, weights)
      const total = sum(weights)
      assert.equal(sum(parts), amount)
      for (const [index, part] of parts.entries()) {
        const difference = part * total - amount * weights[index]!
        assert.ok(difference > -total && difference < total)
      }
    }),
  )
})

test('weights that share nothing out are refused', () => {
  for (const weights of [[], [0n], [2n, -1n]]) {
    assert.throws(() => allocate(1n, weights), { reason: 'invalid-weights' })
  }
})

test('a fee is a percentage rounded half even plus a fixed part', () => {
  assert.equal(feeOf(100_000n, { percentBasisPoints: 150, fixedMinor: 0n }), 1500n)
  assert.equal(feeOf(100_000n, { percentBasisPoints: 150, fixedMinor: 25n }), 1525n)
  assert.equal(feeOf(50n, { percentBasisPoints: 100, fixedMinor: 0n }), 0n)
  assert.equal(feeOf(150n, { percentBasisPoints: 100, fixedMinor: 0n }), 2n)
  assert.equal(feeOf(250n, { percentBasisPoints: 100, fixedMinor: 0n }), 2n)
  assert.equal(feeOf(maxMinor, { percentBasisPoints: 0, fixedMinor: 0n }), 0n)
})

test('a fee stays within its bounds and never falls when the amount grows', () => {
  const plan: FeePlan = { percentBasisPoints: 100, fixedMinor: 5n, minMinor: 10n, maxMinor: 5000n }
  assert.equal(feeOf(1n, plan), 10n)
  assert.equal(feeOf(maxMinor, plan), 5000n)
  const anyAmount = fc.bigInt({ min: 0n, max: maxMinor })
  fc.assert(
    fc.property(anyAmount, anyAmount, (a, b) => {
      const [small, large] = a < b ? [a, b] : [b, a]
      assert.ok(feeOf(small, plan) <= feeOf(large, plan))
    }),
  )
})

test('a fee plan with a negative or broken part, or with crossed bounds, is refused', () => {
  const plans: FeePlan[] = [
    { percentBasisPoints: -1, fixedMinor: 0n },
    { percentBasisPoints: 0.5, fixedMinor: 0n },
    { percentBasisPoints: 10_001, fixedMinor: 0n },
    { percentBasisPoints: 0, fixedMinor: -1n },
    { percentBasisPoints: 0, fixedMinor: 0n, minMinor: 2n, maxMinor: 1n },
    { percentBasisPoints: 0, fixedMinor: 0n, maxMinor: -1n },
  ]
  for (const plan of plans) assert.throws(() => feeOf(1n, plan), { reason: 'invalid-fee-plan' })
  const none = { percentBasisPoints: 0, fixedMinor: 0n }
  assert.throws(() => feeOf(-1n, none), { reason: 'negative' })
})
