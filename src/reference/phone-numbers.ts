import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
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
  return internationalDigits(trimmed, country) ?? parsedDigits(trimmed, country)
}

export function parsedDigits(trimmed: string, country: CountryCode): string | undefined {
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

type Plan = { callingCode: string; mobile: RegExp }
const plans = new Map<CountryCode, Plan | undefined>()

/**
 * Most numbers come as they are stored. For those one look at the library's own pattern says the
 * same as its parser, which costs as much as the rest of checking a payout.
 */
function internationalDigits(text: string, country: CountryCode): string | undefined {
  if (!plans.has(country)) plans.set(country, planOf(country))
  const plan = plans.get(country)
  const digits = text.startsWith('+') ? text.slice(1) : text
  if (!plan || !digits.startsWith(plan.callingCode)) return undefined
  return plan.mobile.test(digits.slice(plan.callingCode.length)) ? digits : undefined
}

/** None where several countries share a calling code: whose number it is takes more to tell. */
function planOf(country: CountryCode): Plan | undefined {
  const metadata = new Metadata() as unknown as Plans
  const callingCode = getCountryCallingCode(country)
  if (metadata.getCountryCodesForCallingCode(callingCode)?.length !== 1) return undefined
  metadata.selectNumberingPlan(country)
  const pattern = metadata.numberingPlan?.type?.('MOBILE')?.pattern()
  return pattern ? { callingCode, mobile: new RegExp(`^(?:${pattern})$`) } : undefined
}

/** What its types leave out. */
type Plans = {
  selectNumberingPlan(country: CountryCode): void
  getCountryCodesForCallingCode(code: string): readonly string[] | undefined
  numberingPlan?: { type?(name: 'MOBILE'): { pattern(): string } | undefined }
}
