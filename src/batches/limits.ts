import { minorFromText } from '../money/amounts.ts'
import { MoneyError } from '../money/money-error.ts'
import type { Total } from './batch.ts'

/** By currency, in major units: what one person may send in one batch. */
export type Limits = Readonly<Record<string, string>>

/** A currency without a limit needs no second person. */
export function exceedsLimits(totals: readonly Total[], limits: Limits): boolean {
  return totals.some(({ currency, amount }) => {
    const limit = limits[currency]
    return limit !== undefined && amount > limitMinor(limit, currency)
  })
}

/** Zero, and what cannot be read, let nothing pass: a slip must not open the gate. */
function limitMinor(limit: string, currency: string): bigint {
  try {
    return minorFromText(limit, currency)
  } catch (error) {
    if (error instanceof MoneyError) return 0n
    throw error
  }
}
