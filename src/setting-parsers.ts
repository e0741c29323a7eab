/** What would be right in place of the text that was given. */
export class Problem {
  readonly expected: string
  constructor(expected: string) {
    this.expected = expected
  }
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
