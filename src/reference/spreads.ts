/** The distance between buy and sell around a middle rate, in basis points of it. */
export type Spreads = (pair: string) => number

/** Reads "100, USD/KES=150": one for all pairs, and others by their names. */
export function spreadsFrom(text: string): Spreads {
  const parts = text.split(',').map((part) => part.trim().toUpperCase())
  const named = new Map<string, number>()
  let usual = 0
  for (const part of parts) {
    const [name = '', points] = part.split('=')
    if (points === undefined) usual = Number(name)
    else named.set(name.trim(), Number(points))
  }
  return (pair) => named.get(pair) ?? usual
}
