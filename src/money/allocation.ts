import { MoneyError } from './money-error.ts'
import { divideRoundingHalfEven } from './rounding.ts'

/**
 * Splits an amount by weights so that the parts sum to it exactly: everyone gets the whole part of
 * their share, and what is left goes, unit by unit, to the largest remainders, the first of equals.
 */
export const allocate = (amountMinor: bigint, weights: readonly bigint[]): bigint[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  if (total <= 0n || weights.some((weight) => weight < 0n)) {
    throw new MoneyError('invalid-weights', 'must have weights of zero or more, and one above zero')
  }
  const sign = amountMinor < 0n ? -1n : 1n
  const size = amountMinor * sign
  const shares = weights.map((weight, index) => ({
    index,
    whole: (size * weight) / total,
    rest: (size * weight) % total,
  }))
  const parts = shares.map((share) => share.whole)
  const left = Number(size - parts.reduce((sum, part) => sum + part, 0n))
  const byRest = shares.toSorted((a, b) =>
    a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1,
  )
  for (const share of byRest.slice(0, left)) parts[share.index] = share.whole + 1n
  return parts.map((part) => part * sign)
}

export type FeePlan = {
  /** Hundredths of a percent: 150 is 1.5 %. */
  readonly percentBasisPoints: number
  readonly fixedMinor: bigint
  readonly minMinor?: bigint
  readonly maxMinor?: bigint
}

const basisPointsOfWhole = 10_000n

/**
 * The fee on an amount: the percentage rounded half even, plus the fixed part, within the bounds.
 * It may exceed a small amount; whether such a payment is taken is the domain's decision.
 */
export const feeOf = (amountMinor: bigint, plan: FeePlan): bigint => {
  assertFeePlan(plan)
  if (amountMinor < 0n) throw new MoneyError('negative', 'must not be negative')
  const percentage = divideRoundingHalfEven(
    amountMinor * BigInt(plan.percentBasisPoints),
    basisPointsOfWhole,
  )
  const fee = percentage + plan.fixedMinor
  if (plan.minMinor !== undefined && fee < plan.minMinor) return plan.minMinor
  if (plan.maxMinor !== undefined && fee > plan.maxMinor) return plan.maxMinor
  return fee
}

const assertFeePlan = (plan: FeePlan): void => {
  const { percentBasisPoints: points, fixedMinor, minMinor = 0n, maxMinor = minMinor } = plan
  const isWhole = Number.isSafeInteger(points) && points >= 0 && points <= 10_000
  if (isWhole && fixedMinor >= 0n && minMinor >= 0n && maxMinor >= minMinor) return
  throw new MoneyError(
    'invalid-fee-plan',
    'must have 0 to 10000 basis points, no negative part, and a minimum up to its maximum',
  )
}
