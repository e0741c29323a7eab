import { validationError } from '../errors.ts'
import { minorFromNumber } from '../money/amounts.ts'
import { MoneyError } from '../money/money-error.ts'

/** The minor units of an amount a caller asked for; what is wrong with it names the field. */
export function requestedMinor(value: number, currency: string): bigint {
  try {
    return minorFromNumber(value, currency)
  } catch (error) {
    if (error instanceof MoneyError) throw validationError(`amount ${error.message}.`)
    throw error
  }
}
