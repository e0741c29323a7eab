import { type Currency, knownCurrency } from './currencies.ts'
import { MoneyError } from './money-error.ts'

/** An amount in minor units together with its currency. It may be negative. */
export type Money = { readonly amount: bigint; readonly currency: Currency }

export const money = (amount: bigint, currency: Currency): Money => ({
  amount,
  currency: knownCurrency(currency).code,
})

export const zero = (currency: Currency): Money => money(0n, currency)

export const assertSameCurrency = (a: Money, b: Money): void => {
  if (a.currency === b.currency) return
  throw new MoneyError('currency-mismatch', `must be in ${a.currency}, not ${b.currency}`)
}

export const add = (a: Money, b: Money): Money => {
  assertSameCurrency(a, b)
  return { amount: a.amount + b.amount, currency: a.currency }
}

export const subtract = (a: Money, b: Money): Money => {
  assertSameCurrency(a, b)
  return { amount: a.amount - b.amount, currency: a.currency }
}

export const negate = (a: Money): Money => ({ amount: -a.amount, currency: a.currency })

export const compare = (a: Money, b: Money): -1 | 0 | 1 => {
  assertSameCurrency(a, b)
  if (a.amount === b.amount) return 0
  return a.amount < b.amount ? -1 : 1
}

/** May be asked of any two, unlike a calculation, which refuses different currencies. */
export const equals = (a: Money, b: Money): boolean =>
  a.currency === b.currency && a.amount === b.amount

export const isZero = (a: Money): boolean => a.amount === 0n

export const isNegative = (a: Money): boolean => a.amount < 0n

/** The sum of any number of amounts; the currency is named because there may be none of them. */
export const sum = (currency: Currency, items: Iterable<Money>): Money => {
  let total = zero(currency)
  for (const item of items) total = add(total, item)
  return total
}
