import type { Sql } from '../db/pool.ts'
import { type FeePlan, feeOf } from '../money/allocation.ts'

/** A rule of an account's fee plan as it is stored: whole numbers, in minor units. */
export type FeeRule = {
  kind: 'payout' | 'charge'
  /** Absent: every method, every currency. */
  method?: string
  currency?: string
  percentBasisPoints: number
  fixedMinor: number
  minMinor?: number
  maxMinor?: number
}

export type FeeQuery = { kind: FeeRule['kind']; method: string; currency: string }

/** The fee on an amount of the wallet: by the first rule that fits, or nothing. */
export function feeFor(plan: readonly FeeRule[], query: FeeQuery, amountMinor: bigint): bigint {
  const rule = plan.find(
    ({ kind, method, currency }) =>
      kind === query.kind &&
      (method ?? query.method) === query.method &&
      (currency ?? query.currency) === query.currency,
  )
  return rule === undefined ? 0n : feeOf(amountMinor, planOf(rule))
}

export function planOf({ percentBasisPoints, fixedMinor, minMinor, maxMinor }: FeeRule): FeePlan {
  return {
    percentBasisPoints,
    fixedMinor: BigInt(fixedMinor),
    ...(minMinor === undefined ? {} : { minMinor: BigInt(minMinor) }),
    ...(maxMinor === undefined ? {} : { maxMinor: BigInt(maxMinor) }),
  }
}

/** The fees of an account's charges, by its plan as it is now. */
export async function chargeFeesOf(sql: Sql, accountId: string) {
  const [row] = await sql<{ feePlan: FeeRule[] }[]>`
    select fee_plan as "feePlan" from accounts where id = ${accountId}`
  const plan = row?.feePlan ?? []
  return (method: string, currency: string, amountMinor: bigint) =>
    feeFor(plan, { kind: 'charge', method, currency }, amountMinor)
}
