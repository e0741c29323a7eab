/** What can be wrong with an amount, a currency or a rate: a closed list callers can switch on. */
export type MoneyReason =
  | 'unknown-currency'
  | 'currency-mismatch'
  | 'not-a-number'
  | 'zero'
  | 'negative'
  | 'too-many-decimals'
  | 'too-large'
  | 'invalid-rate'
  | 'invalid-weights'
  | 'invalid-fee-plan'

/**
 * The message is a predicate without a subject ("must be greater than zero"), because only the
 * caller knows what the field is called: `amount ${error.message}`.
 */
export class MoneyError extends Error {
  readonly reason: MoneyReason

  constructor(reason: MoneyReason, message: string) {
    super(message)
    this.name = 'MoneyError'
    this.reason = reason
  }
}
