import { powerOfTen } from './decimal.ts'
import { MoneyError } from './money-error.ts'
import { compareRates, inverse, type Rate } from './rates.ts'
import { divideRoundingDown, divideRoundingUp } from './rounding.ts'

/** Both sides of a pair: we buy its base at `buy` and sell it at `sell`, which is never less. */
export type Quote = { readonly buy: Rate; readonly sell: Rate }

const basisPoints = 10_000n
const keptPlaces = 10

/** The same pair seen from its other currency. */
export const invertQuote = ({ buy, sell }: Quote): Quote => ({
  buy: inverse(sell),
  sell: inverse(buy),
})

/** A/C from A/B and B/C. It is exact: nothing is rounded before an amount is converted. */
export const joinQuotes = (first: Quote, second: Quote): Quote => ({
  buy: product(first.buy, second.buy),
  sell: product(first.sell, second.sell),
})

const product = (a: Rate, b: Rate): Rate => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

/** Half of the spread to each side of a middle rate, rounded outward to ten decimals. */
export const quoteAround = (middle: Rate, spreadBasisPoints: number): Quote => {
  const half = BigInt(spreadBasisPoints)
  const whole = 2n * basisPoints
  const scale = powerOfTen(keptPlaces)
  const scaled = middle.numerator * scale
  const below = divideRoundingDown(scaled * (whole - half), middle.denominator * whole)
  const above = divideRoundingUp(scaled * (whole + half), middle.denominator * whole)
  if (below <= 0n) throw new MoneyError('invalid-rate', 'must not be as small as that')
  return {
    buy: { numerator: below, denominator: scale },
    sell: { numerator: above, denominator: scale },
  }
}

/** The rate moved by so many basis points, up or down. */
export const shiftRate = (rate: Rate, byBasisPoints: number): Rate => ({
  numerator: rate.numerator * (basisPoints + BigInt(byBasisPoints)),
  denominator: rate.denominator * basisPoints,
})

/** Whether a side of a quote differs by more than so many basis points from what it was. */
export const isJump = (before: Quote, after: Quote, limitBasisPoints: number): boolean =>
  (['buy', 'sell'] as const).some(
    (side) =>
      compareRates(after[side], shiftRate(before[side], limitBasisPoints)) > 0 ||
      compareRates(after[side], shiftRate(before[side], -limitBasisPoints)) < 0,
  )
