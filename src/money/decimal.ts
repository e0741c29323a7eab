/** An exact decimal: digits × 10^-places, without trailing zeros after the point. */
export type Decimal = { readonly digits: bigint; readonly places: number }

const pattern = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/

/** No text of a double is longer; the bound keeps the work on hostile text small. */
const maxTextLength = 40

/** Reads the text of a number as JavaScript prints it, exponent included; else undefined. */
export const decimalFromText = (text: string): Decimal | undefined => {
  if (text.length > maxTextLength) return undefined
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const significant = (whole + fraction).replace(/0+$/, '')
  if (significant === '') return { digits: 0n, places: 0 }
  const cut = whole.length + fraction.length - significant.length
  const places = fraction.length - cut - Number(exponent)
  const unsigned = BigInt(significant) * powerOfTen(Math.max(0, -places))
  return { digits: sign === '-' ? -unsigned : unsigned, places: Math.max(0, places) }
}

/** digits × 10^-places as plain text with exactly that many decimals. */
export const textFromScaled = (digits: bigint, places: number): string => {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
  if (places === 0) return sign + text
  return `${sign}${text.slice(0, -places)}.${text.slice(-places)}`
}

export const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)
