import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/mobile'

const maxLength = 32

/**
 * The digits of a mobile number with its country code and without plus, where the number is one of
 * that country. It may come with or without plus, or as it is dialled inside the country.
 */
export function phoneDigits(text: string, country: string): string | undefined {
  if (text.length > maxLength || !isSupportedCountry(country)) return undefined
  const trimmed = text.trim()
  const readings = trimmed.startsWith('+') ? [trimmed] : [trimmed, `+${trimmed}`]
  for (const reading of readings) {
    const digits = digitsOf(reading, country)
    if (digits !== undefined) return digits
  }
  return undefined
}

function digitsOf(text: string, country: CountryCode): string | undefined {
  // Without this it would find a number inside any text, such as "call 0700000001".
  const number = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false })
  const isOurs = number?.country === country && number.ext === undefined && number.isValid()
  return isOurs ? number.number.slice(1) : undefined
}
