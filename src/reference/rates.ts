import type { Clock } from '../clock.ts'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Currency, currency } from '../money/currencies.ts'
import { costOf, numberFromRate, proceedsOf, textFromRate } from '../money/rates.ts'
import { startLoop } from '../work/loop.ts'
import { type DatedQuote, pairName, quoteBetween, type StoredRate } from './rate-quotes.ts'
import { ratesSubject, readDailyRates } from './rate-store.ts'
import { originsLeftOut } from './refresh-rates.ts'
import { createRendered, type Rendered } from './rendered.ts'

export type HistoryEntry = { currencyPair: string; buy: number; sell: number; updatedAt: string }

/** The rates of the shipped file are made up: no live money is converted by them. */
type Question = { amountMinor: bigint; currency: Currency; environment: Environment }
export type CostQuestion = Question & { debitCurrency: Currency }
export type ProceedsQuestion = Question & { walletCurrency: Currency }

/** Conversions and past rates, from memory: nothing here waits. */
export type Rates = {
  /**
   * What it costs in `debitCurrency` to pay out an amount, rounded up. `rate` is debit units per
   * unit of `currency`. Refuses with FX_RATE_UNAVAILABLE where no rate is fresh enough.
   */
  costOf(asked: CostQuestion): {
    debitMinor: bigint
    rate: string
  }
  /**
   * What an amount brings in `walletCurrency`, rounded down, which may be to nothing. `rate` is
   * wallet units per unit of `currency`.
   */
  proceedsOf(asked: ProceedsQuestion): {
    walletMinor: bigint
    rate: string
  }
  /** One entry per pair and day, newest first: of the pair asked for, or of every stored pair. */
  history(from?: Currency, to?: Currency): HistoryEntry[]
  /** The same as an answer in bytes. */
  renderedHistory(from?: Currency, to?: Currency): Rendered
  stop(): Promise<void>
}

const dayMs = 86_400_000
const historyDays = 30
/** Changes are told at once; this is for those that were not heard. */
const readEveryMs = 300_000

type Day = ReadonlyMap<string, StoredRate>
/** Days by their number since 1970, newest first, and the last rate of each pair. */
type Book = { days: ReadonlyMap<number, Day>; last: Day }

export async function createRates(on: {
  db: Db
  changes: Changes
  clock: Clock
  log: Log
  source: 'file' | 'feed'
  /** Whether rates of a file are those we ship, and not an operator's own. */
  fileIsShipped: boolean
  maxAgeMs: number
}): Promise<Rates> {
  const { db, changes, clock, log, fileIsShipped, maxAgeMs } = on
  const without = originsLeftOut(on.source)
  const read = async () =>
    bookOf(await readDailyRates(db, { sinceMs: clock.now() - (historyDays + 1) * dayMs, without }))
  let book = await read()
  const answers = createRendered()
  const loop = startLoop({ name: 'rates', everyMs: readEveryMs, log }, async () => {
    book = await read()
    answers.clear()
  })
  changes.onChange((subject) => {
    if (subject === ratesSubject || subject === 'all') loop.wake()
  })

  /** Base and quote have to be currencies of ours; the quote is fresh. */
  function freshQuote(base: Currency, quote: Currency, environment: Environment): DatedQuote {
    const isFresh = (rate?: StoredRate) =>
      rate &&
      clock.now() - rate.atMs <= maxAgeMs &&
      (environment === 'sandbox' || rate.source !== 'file' || !fileIsShipped)
    const found = quoteBetween(
      (from, to) => {
        const rate = book.last.get(pairName(from, to))
        return isFresh(rate) ? rate : undefined
      },
      known(base),
      known(quote),
    )
    return found ?? refuseWithoutRate(base, quote)
  }

  const history = (from?: Currency, to?: Currency) =>
    historyOf(book, Math.floor(clock.now() / dayMs) - historyDays, from, to)

  return {
    costOf({ amountMinor, currency: wanted, debitCurrency, environment }) {
      if (wanted === debitCurrency) return { debitMinor: amountMinor, rate: '1' }
      const { sell } = freshQuote(wanted, debitCurrency, environment)
      const debitMinor = costOf(amountMinor, wanted, debitCurrency, sell)
      return { debitMinor, rate: textFromRate(sell) }
    },
    proceedsOf({ amountMinor, currency: given, walletCurrency, environment }) {
      if (given === walletCurrency) return { walletMinor: amountMinor, rate: '1' }
      const { buy } = freshQuote(given, walletCurrency, environment)
      const walletMinor = proceedsOf(amountMinor, given, walletCurrency, buy)
      return { walletMinor, rate: textFromRate(buy) }
    },
    history,
    renderedHistory(from, to) {
      const today = Math.floor(clock.now() / dayMs)
      return answers.get(`${today} ${from} ${to}`, () => ({
        success: true,
        data: history(from, to),
      }))
    },
    stop: () => loop.stop(),
  }
}

function refuseWithoutRate(base: Currency, quote: Currency): never {
  throw new AppError('FX_RATE_UNAVAILABLE', {
    message: `There is no current exchange rate between ${base} and ${quote}. Try again later.`,
  })
}

function known(code: string): Currency {
  const info = currency(code)
  if (info) return info.code
  throw new AppError('UNSUPPORTED_CURRENCY', { message: `The currency ${code} is not supported.` })
}

/** The rates come newest day first. */
function bookOf(rates: readonly StoredRate[]): Book {
  const days = new Map<number, Map<string, StoredRate>>()
  const last = new Map<string, StoredRate>()
  for (const rate of rates) {
    const name = pairName(rate.base, rate.quote)
    const number = Math.floor(rate.atMs / dayMs)
    const day = days.get(number) ?? new Map<string, StoredRate>()
    days.set(number, day.set(name, rate))
    if (!last.has(name)) last.set(name, rate)
  }
  return { days, last }
}

function historyOf(book: Book, sinceDay: number, from?: Currency, to?: Currency): HistoryEntry[] {
  const entries: HistoryEntry[] = []
  for (const [number, day] of book.days) {
    if (number <= sinceDay) continue
    for (const [base, quote] of pairsOf(day, from, to)) {
      const found = quoteBetween((a, b) => day.get(pairName(a, b)), base, quote)
      if (!found) continue
      entries.push({
        currencyPair: pairName(base, quote),
        buy: numberFromRate(found.buy),
        sell: numberFromRate(found.sell),
        updatedAt: new Date(found.atMs).toISOString(),
      })
    }
  }
  return entries
}

function pairsOf(day: Day, from?: Currency, to?: Currency): [Currency, Currency][] {
  if (from && to) return [[known(from), known(to)]]
  return [...day.values()]
    .filter(({ base, quote }) => (!from || base === from) && (!to || quote === to))
    .map(({ base, quote }) => [base, quote])
}
