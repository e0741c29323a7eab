import type { Currency } from '../money/currencies.ts'
import { invertQuote, joinQuotes, type Quote } from '../money/quotes.ts'

/** A quote, and how old its oldest part is. */
export type DatedQuote = Quote & { readonly atMs: number }
/** A pair as it is stored. */
export type StoredRate = DatedQuote & {
  readonly base: Currency
  readonly quote: Currency
  readonly source: RateOrigin
}
export type RateOrigin = 'file' | 'feed' | 'operator'
export type FindRate = (base: Currency, quote: Currency) => StoredRate | undefined

/** Pairs that are not stored are made of two that share this currency. */
const common = 'USD'

export function pairName(base: Currency, quote: Currency): string {
  return `${base}/${quote}`
}

/** BASE/QUOTE by what is stored: as it is, turned around, or through the common currency. */
export function quoteBetween(
  find: FindRate,
  base: Currency,
  quote: Currency,
): DatedQuote | undefined {
  const own = storedBetween(find, base, quote)
  if (own) return own
  const first = storedBetween(find, base, common)
  const second = storedBetween(find, common, quote)
  if (!first || !second) return undefined
  return { ...joinQuotes(first, second), atMs: Math.min(first.atMs, second.atMs) }
}

/**
 * Where a pair is stored both ways round, the newer one serves both directions: two that do not
 * agree would let somebody gain by going there and back.
 */
function storedBetween(find: FindRate, base: Currency, quote: Currency): DatedQuote | undefined {
  const own = find(base, quote)
  const other = find(quote, base)
  if (!other) return own
  const isOwnNewer = own && (own.atMs > other.atMs || (own.atMs === other.atMs && base < quote))
  return isOwnNewer ? own : { ...invertQuote(other), atMs: other.atMs }
}
