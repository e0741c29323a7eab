const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)/g
const railReference = /SBX-[0-9A-F]{16}/g

/**
 * Makes a text the same in every run: the first id is that of the payout, others are numbered, and
 * times are those that passed since the start.
 */
export function createPlainText(startMs: number): (text: string) => string {
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? (names.size === 0 ? '<payout>' : `<id ${names.size}>`)
    names.set(id, name)
    return name
  }
  const passedOf = (time: string): string => `+${Date.parse(time) - startMs} ms`
  return (text) =>
    text.replace(uuid, nameOf).replace(isoTime, passedOf).replace(railReference, 'SBX-<number>')
}
