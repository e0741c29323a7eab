/** The only source of chance in a simulation: the same seed, the same run. */
export type Random = {
  /** From 0 up to, but not, 1. */
  next(): number
  /** A whole number from 0 up to, but not, `below`. */
  int(below: number): number
  /** A whole number between both, ends included. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** The key of a table of weights. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key
}

const range = 2 ** 32
const warmUpRounds = 16

/** Four words that are shifted, added and rotated into each other. */
export function createRandom(seed: number): Random {
  let [a, b, c, d] = [seed >>> 0, Math.floor(seed / range) >>> 0, 0x6d616c69, 0x706f0001]

  function word(): number {
    const sum = (a + b + d) >>> 0
    d = (d + 0x9e3779b9) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = ((c << 21) | (c >>> 11)) >>> 0
    c = (c + sum) >>> 0
    return sum
  }
  for (let round = 0; round < warmUpRounds; round++) word()

  const next = () => word() / range
  const int = (below: number) => Math.floor(next() * below)
  return {
    next,
    int,
    between: (from, to) => from + int(to - from + 1),
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of entries) {
        left -= weight
        if (left < 0) return key
      }
      return entries.at(-1)![0]
    },
  }
}
