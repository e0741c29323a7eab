import { validationError } from '../errors.ts'

const maxUrlLength = 2048

/** An address to send a customer to, under its own name; nothing where none was given. */
export function httpUrl<Name extends string>(
  name: Name,
  text: string | undefined,
): { [Key in Name]?: string } {
  if (text === undefined || text === '') return {}
  const right = text.length <= maxUrlLength && URL.canParse(text) && /^https?:\/\//i.test(text)
  if (!right) throw validationError(`${name} must be a URL that begins with http:// or https://.`)
  return { [name]: text } as { [Key in Name]?: string }
}
