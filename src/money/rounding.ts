/** How a quotient becomes whole. Passing one by name makes every rounding visible at its call. */
export type Rounding = (numerator: bigint, denominator: bigint) => bigint

/** Towards negative infinity, so that a smaller result never depends on the sign. */
export const divideRoundingDown: Rounding = (numerator, denominator) => {
  const quotient = numerator / denominator
  const isExact = quotient * denominator === numerator
  const isBelowZero = numerator < 0n !== denominator < 0n
  return !isExact && isBelowZero ? quotient - 1n : quotient
}

/** Towards positive infinity. */
export const divideRoundingUp: Rounding = (numerator, denominator) =>
  -divideRoundingDown(-numerator, denominator)

/** To the nearest, and from the middle to the even neighbour, so that many roundings even out. */
export const divideRoundingHalfEven: Rounding = (numerator, denominator) => {
  const [n, d] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator]
  const lower = divideRoundingDown(n, d)
  const twiceRest = 2n * (n - lower * d)
  if (twiceRest < d) return lower
  if (twiceRest > d) return lower + 1n
  return lower % 2n === 0n ? lower : lower + 1n
}
