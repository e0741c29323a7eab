import { type Currency, decimalsOf, maxMinor } from './currencies.ts'
import { type Decimal, decimalFromText, powerOfTen, textFromScaled } from './decimal.ts'
import { MoneyError } from './money-error.ts'

/**
 * The minor units of an amount that a caller sent as a JSON number. A double stands for its
 * shortest decimal text, which is what the caller wrote, so no float arithmetic is involved.
 */
export const minorFromNumber = (value: number, currency: Currency): bigint =>
  minorFromDecimal(decimalFromText(String(value)), currency)

/** The same for a decimal typed by a person: "1000", "10.5", "10.50". */
export const minorFromText = (text: string, currency: Currency): bigint =>
  minorFromDecimal(/^-?\d+(\.\d+)?$/.test(text) ? decimalFromText(text) : undefined, currency)

const minorFromDecimal = (decimal: Decimal | undefined, currency: Currency): bigint => {
  const decimals = decimalsOf(currency)
  if (!decimal) throw new MoneyError('not-a-number', 'must be a number')
  if (decimal.digits === 0n) throw new MoneyError('zero', 'must be greater than zero')
  if (decimal.digits < 0n) throw new MoneyError('negative', 'must not be negative')
  if (decimal.places > decimals) {
    throw new MoneyError('too-many-decimals', wordsForDecimals(decimals, currency))
  }
  const minor = decimal.digits * powerOfTen(decimals - decimal.places)
  if (minor > maxMinor) {
    throw new MoneyError('too-large', `must be at most ${formatMinor(maxMinor, currency)}`)
  }
  return minor
}

const wordsForDecimals = (decimals: number, currency: Currency): string =>
  decimals === 0
    ? `must be a whole number for ${currency}`
    : `must have at most ${decimals} decimals for ${currency}`

/**
 * The number to put into JSON. Exact for every amount of one payment, sign included. A sum beyond
 * 2^53 becomes the nearest double, which is all that a reader of JSON numbers could see of it.
 */
export const numberFromMinor = (minor: bigint, currency: Currency): number =>
  Number(textFromMinor(minor, currency))

/** Plain text, always exact: "1000" when whole, all decimals when not ("10.50"). */
export const textFromMinor = (minor: bigint, currency: Currency): string => {
  const decimals = decimalsOf(currency)
  const unit = powerOfTen(decimals)
  return minor % unit === 0n ? String(minor / unit) : textFromScaled(minor, decimals)
}

/** Plain text with all decimals of the currency, as a table shows it: "1000.00", "-0.50". */
export const decimalFromMinor = (minor: bigint, currency: Currency): string =>
  textFromScaled(minor, decimalsOf(currency))

/** For people: "KES 1,000.00", "KES -0.50". */
export const formatMinor = (minor: bigint, currency: Currency): string =>
  `${currency} ${grouped(minor, currency)}`

/** The same inside of a sentence: "1,000.00 KES". */
export const sayMinor = (minor: bigint, currency: Currency): string =>
  `${grouped(minor, currency)} ${currency}`

const grouped = (minor: bigint, currency: Currency): string => {
  const [whole = '', fraction] = decimalFromMinor(minor, currency).split('.')
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? thousands : `${thousands}.${fraction}`
}
