/** What would be right in place of the text that was given. */
export class Problem {
  readonly expected: string
  constructor(expected: string) {
    this.expected = expected
  }
}

/** A setting: where it is read from, what it may be, what it is when unset. */
export type Setting<Value> = {
  variable: string
  /** The value of a text, or a Problem that says what would be right. */
  parse(text: string): Value | Problem
  fallback: Value
  /** How the fallback is written in the documentation, where the value itself would not do. */
  fallbackText?: string
  sentence: string
}

export function setting<Value>(
  variable: string,
  parse: (text: string) => Value | Problem,
  fallback: NoInfer<Value> | undefined,
  sentence: string,
  fallbackText?: string,
): Setting<Value | undefined> {
  return { variable, parse, fallback, sentence, ...(fallbackText ? { fallbackText } : {}) }
}

export function settingWith<Value>(
  variable: string,
  parse: (text: string) => Value | Problem,
  fallback: NoInfer<Value>,
  sentence: string,
): Setting<Value> {
  return { variable, parse, fallback, sentence }
}

export const text = (value: string) => value

export const integer = (min: number, max: number) => (value: string) => {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  return number >= min && number <= max
    ? number
    : new Problem(`must be a whole number from ${min} to ${max}`)
}

export const oneOf =
  <Choice extends string>(...choices: Choice[]) =>
  (value: string) =>
    choices.find((choice) => choice === value) ??
    new Problem(`must be one of ${choices.join(', ')}`)

export const flag = (value: string) =>
  ({ on: true, true: true, '1': true, off: false, false: false, '0': false })[value] ??
  new Problem('must be on or off')

export const list = (value: string) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const maxPauses = 20
const maxPauseSeconds = 7 * 86_400

export const seconds = (value: string) => {
  const parts = list(value)
  const isRight = parts.every((part) => /^\d{1,6}$/.test(part) && Number(part) <= maxPauseSeconds)
  return isRight && parts.length <= maxPauses
    ? parts.map(Number)
    : new Problem(`must be at most ${maxPauses} whole numbers of seconds, each 7 days at most`)
}

export const databaseUrl = (value: string) =>
  /^postgres(ql)?:\/\/.+/.test(value) && URL.canParse(value)
    ? value
    : new Problem('must be a URL such as postgres://user:password@host:5432/database')

export const httpUrl = (value: string) =>
  /^https?:\/\//.test(value) && URL.canParse(value)
    ? value.replace(/\/+$/, '')
    : new Problem('must be a URL that begins with http:// or https://')

export const shaped = (shape: RegExp, expected: string) => (value: string) =>
  shape.test(value) ? value : new Problem(expected)

export const masterKeys = (value: string) => {
  const keys = list(value).map((part) => Buffer.from(part, 'base64'))
  return keys.length > 0 && keys.every((key) => key.length === 32)
    ? keys
    : new Problem(
        'must be 32 bytes in base64 (openssl rand -base64 32); several, newest first, by commas',
      )
}
