/**
 * The escapes of a JSON text, one after the other: a whole pair of surrogates, half of one, or
 * anything else. An escaped backslash is one of the last, so what follows it is no escape.
 */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gis

/**
 * Whether a JSON text has half a character in it, which only an escape can say. No text of the
 * database can have one: some would be refused there, and others silently changed.
 */
export function hasBrokenText(json: string): boolean {
  if (!json.includes('\\u')) return false
  for (const [, half] of json.matchAll(escapes)) if (half !== undefined) return true
  return false
}
