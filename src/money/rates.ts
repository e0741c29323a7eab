import { type Currency, decimalsOf } from './currencies.ts'
import { decimalFromText, powerOfTen, textFromScaled } from './decimal.ts'
import { MoneyError } from './money-error.ts'
import {
  divideRoundingDown,
  divideRoundingHalfEven,
  divideRoundingUp,
  type Rounding,
} from './rounding.ts'

/** An exact positive fraction: major units of one currency per major unit of another. */
export type Rate = { readonly numerator: bigint; readonly denominator: bigint }

/**
 * A pair BASE/QUOTE. Both sides are quote units per base unit, named from our point of view: we
 * buy base at `buy` and sell it at `sell`, which is never less.
 */
export type Pair = {
  readonly base: Currency
  readonly quote: Currency
  readonly buy: Rate
  readonly sell: Rate
}

const maxSignificantDigits = 18
const maxPlaces = 18

export const rateFromText = (text: string): Rate => {
  const decimal = decimalFromText(text)
  const isUsable =
    decimal !== undefined &&
    decimal.digits > 0n &&
    decimal.digits < powerOfTen(maxSignificantDigits) &&
    decimal.places <= maxPlaces
  if (!isUsable) {
    throw new MoneyError(
      'invalid-rate',
      `must be a positive decimal of at most ${maxSignificantDigits} digits`,
    )
  }
  return { numerator: decimal.digits, denominator: powerOfTen(decimal.places) }
}

export const rateFromNumber = (value: number): Rate => rateFromText(String(value))

/** Exact for a rate that was read from text; an inverse is rounded half even to 18 decimals. */
export const textFromRate = (rate: Rate): string => {
  const scaled = divideRoundingHalfEven(rate.numerator * powerOfTen(maxPlaces), rate.denominator)
  return textFromScaled(scaled, maxPlaces).replace(/\.?0+$/, '')
}

export const numberFromRate = (rate: Rate): number => Number(textFromRate(rate))

export const inverse = (rate: Rate): Rate => ({
  numerator: rate.denominator,
  denominator: rate.numerator,
})

export const compareRates = (a: Rate, b: Rate): -1 | 0 | 1 => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/** Converts minor units, decimals of both currencies included; `rate` is `to` per `from`. */
export const convert = (
  amountMinor: bigint,
  from: Currency,
  to: Currency,
  rate: Rate,
  rounding: Rounding,
): bigint => convertScaled(amountMinor, decimalsOf(from), decimalsOf(to), rate, rounding)

/** The same by the decimals alone, whatever currencies have them. */
export const convertScaled = (
  amountMinor: bigint,
  fromDecimals: number,
  toDecimals: number,
  rate: Rate,
  rounding: Rounding,
): bigint =>
  rounding(
    amountMinor * rate.numerator * powerOfTen(toDecimals),
    rate.denominator * powerOfTen(fromDecimals),
  )

/** What it costs in `pay` to receive an amount, rounded up, against the payer. */
export const costOf = (
  receiveMinor: bigint,
  receive: Currency,
  pay: Currency,
  payPerReceive: Rate,
): bigint => convert(receiveMinor, receive, pay, payPerReceive, divideRoundingUp)

/** What giving an amount brings in `receive`, rounded down, against the giver. */
export const proceedsOf = (
  giveMinor: bigint,
  give: Currency,
  receive: Currency,
  receivePerGive: Rate,
): bigint => convert(giveMinor, give, receive, receivePerGive, divideRoundingDown)

export const pair = (base: Currency, quote: Currency, buy: Rate, sell: Rate): Pair => {
  if (base === quote) throw new MoneyError('invalid-rate', 'must join two different currencies')
  if (compareRates(sell, buy) < 0) {
    throw new MoneyError('invalid-rate', 'must not sell below the price it buys at')
  }
  return { base, quote, buy, sell }
}

/** Quote units a merchant gives to obtain base units: our sell side. */
export const costToBuyBase = (baseMinor: bigint, pair: Pair): bigint =>
  costOf(baseMinor, pair.base, pair.quote, pair.sell)

/** Base units a merchant gives to obtain quote units: the inverse of our buy side. */
export const costToBuyQuote = (quoteMinor: bigint, pair: Pair): bigint =>
  costOf(quoteMinor, pair.quote, pair.base, inverse(pair.buy))

/** Quote units a merchant obtains for base units: our buy side. */
export const proceedsOfBase = (baseMinor: bigint, pair: Pair): bigint =>
  proceedsOf(baseMinor, pair.base, pair.quote, pair.buy)

/** Base units a merchant obtains for quote units: the inverse of our sell side. */
export const proceedsOfQuote = (quoteMinor: bigint, pair: Pair): bigint =>
  proceedsOf(quoteMinor, pair.quote, pair.base, inverse(pair.sell))
