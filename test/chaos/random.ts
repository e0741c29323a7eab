/** A source of chance that gives the same numbers for the same seed. */
export type Random = {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  pick<Item>(items: readonly Item[]): Item
  /** True in that share of all cases. */
  chance(share: number): boolean
  /** A source of its own, so that one user of chance does not disturb another. */
  branch(): Random
}

const states = 2 ** 32

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  /** A counter whose bits are stirred by two rounds of multiplying and folding. */
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / states
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    chance: (share) => next() < share,
    branch: () => createRandom(Math.floor(next() * states)),
  }
}
