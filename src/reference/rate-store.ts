import type { Sql } from '../db/pool.ts'
import { currency } from '../money/currencies.ts'
import type { Quote } from '../money/quotes.ts'
import { compareRates, pair, type Rate, rateFromText, textFromRate } from '../money/rates.ts'
import type { RateOrigin, StoredRate } from './rate-quotes.ts'

export type HeldRate = StoredRate & { readonly heldAtMs: number }

type Row = {
  base: string
  quote: string
  buy: string
  sell: string
  source: RateOrigin
  at: Date
  heldAt: Date
}

/** What nodes are told when rates have changed. */
export const ratesSubject = 'rates'

const lowest = rateFromText('0.0000001')
const highest = rateFromText('10000000')

/** What is wrong with a pair that somebody wants stored, as the rest of a sentence about it. */
export function rateProblem(base: string, quote: string, { buy, sell }: Quote): string | undefined {
  const unknown = [base, quote].find((code) => !currency(code))
  if (unknown !== undefined) return `names ${unknown}, which is not a supported currency`
  try {
    pair(base, quote, buy, sell)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const isWithin = (rate: Rate) =>
    compareRates(rate, lowest) >= 0 && compareRates(rate, highest) <= 0
  return isWithin(buy) && isWithin(sell)
    ? undefined
    : `must be between ${textFromRate(lowest)} and ${textFromRate(highest)}`
}

/** The last rate of every pair and day, newest day first. Days are those of UTC. */
export async function readDailyRates(
  sql: Sql,
  options: { sinceMs: number; without: readonly RateOrigin[] },
): Promise<StoredRate[]> {
  const rows = await sql<Row[]>`
    select distinct on (day, base, quote) base, quote, buy, sell, source, at,
      (at at time zone 'UTC')::date as day
    from rates
    where at >= ${new Date(options.sinceMs)} and source <> all (${options.without})
    order by day desc, base, quote, at desc`
  return rows.map(rateOf)
}

/** The last rate of every pair, however old. */
export async function readLastRates(
  sql: Sql,
  without: readonly RateOrigin[],
): Promise<StoredRate[]> {
  const rows = await sql<Row[]>`
    select distinct on (base, quote) base, quote, buy, sell, source, at from rates
    where source <> all (${without}) order by base, quote, at desc`
  return rows.map(rateOf)
}

export async function readHeldRates(sql: Sql): Promise<HeldRate[]> {
  const rows = await sql<Row[]>`
    select base, quote, buy, sell, source, at, held_at as "heldAt" from held_rates
    order by base, quote`
  return rows.map((row) => ({ ...rateOf(row), heldAtMs: row.heldAt.getTime() }))
}

function rateOf({ base, quote, buy, sell, source, at }: Row): StoredRate {
  const sides = { buy: rateFromText(buy), sell: rateFromText(sell) }
  return { base, quote, ...sides, source, atMs: at.getTime() }
}

/** Rates that are believed. What was held of the same pair is settled by them. */
export async function storeRates(tx: Sql, rates: readonly StoredRate[]): Promise<void> {
  const columns = columnsOf(rates)
  await tx`
    insert into rates (base, quote, buy, sell, source, at)
    select * from unnest(${columns.base}::text[], ${columns.quote}::text[],
      ${columns.buy}::numeric[], ${columns.sell}::numeric[], ${columns.source}::text[],
      ${columns.at}::timestamptz[])
    on conflict do nothing`
  await tx`
    delete from held_rates where (base, quote) in (
      select * from unnest(${columns.base}::text[], ${columns.quote}::text[])
    )`
}

/** The newest one replaces what was held of the pair before. */
export async function holdRates(tx: Sql, rates: readonly StoredRate[]): Promise<void> {
  const columns = columnsOf(rates)
  await tx`
    insert into held_rates (base, quote, buy, sell, source, at)
    select * from unnest(${columns.base}::text[], ${columns.quote}::text[],
      ${columns.buy}::numeric[], ${columns.sell}::numeric[], ${columns.source}::text[],
      ${columns.at}::timestamptz[])
    on conflict (base, quote) do update set buy = excluded.buy, sell = excluded.sell,
      source = excluded.source, at = excluded.at`
}

function columnsOf(rates: readonly StoredRate[]) {
  return {
    base: rates.map(({ base }) => base),
    quote: rates.map(({ quote }) => quote),
    buy: rates.map(({ buy }) => textFromRate(buy)),
    sell: rates.map(({ sell }) => textFromRate(sell)),
    source: rates.map(({ source }) => source),
    at: rates.map(({ atMs }) => new Date(atMs)),
  }
}
