/** Names whose values are nobody's to read later, however they are written. */
const secretNames = new Set([
  ...['authorization', 'apikey', 'token', 'accesstoken', 'password', 'secret', 'webhooksecret'],
  ...['carddetails', 'number', 'cardnumber', 'cvv', 'cvc', 'pan', 'expmonth', 'expyear', 'expiry'],
  ...['pin', 'otp', 'otpcode', 'voucherpin', 'value', 'signature'],
])
const censored = '[redacted]'
const longDigits = /\d(?:[ -]?\d){12,18}/g
const keyShapes = /\b(?:sk_[a-z]+_|whsec_|Bearer )[\w+/=.-]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g
const maxDepth = 8

/** A value as text of at most that length, without anything that opens or pays. */
export function redactedText(value: unknown, maxLength: number): string | null {
  if (value === undefined || value === null) return null
  const text = JSON.stringify(cleaned(value, 0))
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanedText(value)
  if (typeof value === 'number') return looksLikeCard(String(value)) ? censored : value
  if (value === null || typeof value !== 'object') return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map((each) => cleaned(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isSecret(name) ? censored : cleaned(each, depth + 1),
    ]),
  )
}

export function cleanedText(text: string): string {
  return text
    .replace(keyShapes, censored)
    .replace(longDigits, (digits) => (looksLikeCard(digits) ? censored : digits))
}

const isSecret = (name: string): boolean =>
  secretNames.has(name.replaceAll(/[-_]/g, '').toLowerCase())

/** Card numbers end with a check digit, so most other long numbers are left as they are. */
function looksLikeCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  if (digits.length < 13 || digits.length > 19) return false
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
