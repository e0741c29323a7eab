import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { quoteAround, shiftRate } from '../money/quotes.ts'
import { type DatedQuote, pairName, type StoredRate } from './rate-quotes.ts'
import type { RateSource, Said } from './rate-sources.ts'
import { rateProblem, storeRates } from './rate-store.ts'
import { shippedFolder } from './seed.ts'
import type { Spreads } from './spreads.ts'

const dayMs = 86_400_000
const historyDays = 30
const smoothedDays = 4
const noiseBasisPoints = 25

export const shippedRatesFile = new URL('rates.csv', shippedFolder)

/**
 * Gives an installation that has no rate yet the rates of the file, with thirty days before them
 * that vary a little, so that everything that needs rates can be tried at once.
 */
export async function seedRates(
  db: Db,
  { clock, source, spreads }: { clock: Clock; source: RateSource; spreads: Spreads },
): Promise<void> {
  const [known] = await db`select from rates limit 1`
  if (known) return
  const { said } = await source.read()
  const nowMs = clock.now()
  const rates = said.flatMap((each) => historyOf(each, nowMs, spreads))
  const good = rates.filter((rate) => rateProblem(rate.base, rate.quote, rate) === undefined)
  // A node that starts at the same time would make the very same days.
  await storeRates(db, good)
}

function historyOf(said: Said, nowMs: number, spreads: Spreads): StoredRate[] {
  const { base, quote } = said
  const today = Math.floor(nowMs / dayMs)
  return Array.from({ length: historyDays + 1 }, (_, daysAgo) => ({
    base,
    quote,
    ...quoteAt(said, today - daysAgo, daysAgo === 0, spreads),
    source: 'file' as const,
    atMs: daysAgo === 0 ? nowMs : (today - daysAgo) * dayMs + dayMs / 2,
  }))
}

function quoteAt(
  { base, quote, price }: Said,
  day: number,
  isToday: boolean,
  spreads: Spreads,
): Pick<DatedQuote, 'buy' | 'sell'> {
  const name = pairName(base, quote)
  const shift = isToday ? 0 : shiftOf(name, day)
  if ('middle' in price) return quoteAround(shiftRate(price.middle, shift), spreads(name))
  return {
    buy: quoteAround(shiftRate(price.buy, shift), 0).buy,
    sell: quoteAround(shiftRate(price.sell, shift), 0).sell,
  }
}

/** The same for the same pair and day wherever it is asked; days beside each other are near. */
function shiftOf(name: string, day: number): number {
  let sum = 0
  for (let at = day; at < day + smoothedDays; at++) {
    const noise = createHash('sha256').update(`${name} ${at}`).digest().readUInt16BE()
    sum += (noise % (2 * noiseBasisPoints + 1)) - noiseBasisPoints
  }
  return sum
}
