import type { Clock } from '../clock.ts'
import { announceChange } from '../db/changes.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Log } from '../log.ts'
import { isJump, type Quote, quoteAround } from '../money/quotes.ts'
import { compareRates } from '../money/rates.ts'
import { pairName, type RateOrigin, type StoredRate } from './rate-quotes.ts'
import type { RateSource, Reading, Said } from './rate-sources.ts'
import {
  holdRates,
  rateProblem,
  ratesSubject,
  readHeldRates,
  readLastRates,
  storeRates,
} from './rate-store.ts'
import type { Spreads } from './spreads.ts'

export type RefreshOn = {
  db: Db
  clock: Clock
  log: Log
  source: RateSource
  spreads: Spreads
  maxAgeMs: number
}

/** How the last asking of the source went; `malipo rates list` shows it. */
export type LastRefresh = { at: string; source: string; isGood: boolean; problems: string[] }

/** A move of a fifth within an hour is a mistake more often than it is news. */
export const jumpBasisPoints = 2000
const repeatAfterMs = 30 * 60_000
const aheadLimitMs = 10 * 60_000
const keptDays = 400
const maxTold = 50
const refreshSetting = 'rates_refresh'

/** Rates from the file that comes with the program are no basis for those of a feed. */
export function originsLeftOut(source: RateSource['name']): RateOrigin[] {
  return source === 'feed' ? ['file'] : []
}

/**
 * Asks the source once. What it says is believed, held for a person to confirm, or left out; in
 * the last two cases the rate of before goes on until it is too old.
 */
export async function refreshRates(on: RefreshOn): Promise<void> {
  const { db, clock, log, source } = on
  const note = (problems: string[], isGood: boolean) =>
    writeLastRefresh(db, {
      at: new Date(clock.now()).toISOString(),
      source: source.name,
      isGood,
      problems: problems.slice(0, maxTold),
    })
  let reading: Reading
  try {
    reading = await source.read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await note([reason], false)
    throw new Error('The exchange rates could not be refreshed.', { cause: error })
  }
  const { problems, held } = await transaction(db, (tx) => take(tx, on, reading))
  for (const problem of problems) log.warn({ problem }, 'a rate was left out')
  for (const rate of held) {
    log.warn(
      { pair: pairName(rate.base, rate.quote) },
      'a rate jumped and is held: malipo rates confirm, if it is right',
    )
  }
  await note(problems, true)
}

type Taken = { problems: string[]; held: StoredRate[] }

async function take(tx: Sql, on: RefreshOn, reading: Reading): Promise<Taken> {
  const nowMs = on.clock.now()
  const atMs = reading.atMs ?? nowMs
  const problems = [...reading.problems]
  if (atMs < nowMs - on.maxAgeMs || atMs > nowMs + aheadLimitMs) {
    const when = new Date(atMs).toISOString()
    return { problems: [...problems, `The rates are of ${when}, which is too far off.`], held: [] }
  }
  await tx.unsafe('lock table rates in share row exclusive mode')
  const last = new Map(
    (await readLastRates(tx, originsLeftOut(on.source.name))).map((rate) => [
      pairName(rate.base, rate.quote),
      rate,
    ]),
  )
  const believed: StoredRate[] = []
  const held: StoredRate[] = []
  for (const said of reading.said) {
    const name = pairName(said.base, said.quote)
    const read = quoteOf(said, on.spreads(name))
    const problem = rateProblem(said.base, said.quote, read)
    const rate = { base: said.base, quote: said.quote, ...read, atMs, source: on.source.name }
    if (problem !== undefined) problems.push(`${name} ${problem}.`)
    else if (isWanted(rate, last.get(name), nowMs, on.maxAgeMs)) {
      const before = last.get(name)
      if (before && isJump(before, rate, jumpBasisPoints)) held.push(rate)
      else believed.push(rate)
    }
  }
  await storeRates(tx, believed)
  await holdRates(tx, held)
  await tx`delete from rates where at < ${new Date(nowMs - keptDays * 86_400_000)}`
  if (believed.length > 0) await announceChange(tx, ratesSubject)
  return { problems, held }
}

function quoteOf({ price }: Said, spread: number): Quote {
  if ('buy' in price) return price
  return quoteAround(price.middle, spread)
}

/** A rate set by a person stands while it is fresh. The same rate again is news after a while. */
function isWanted(
  rate: StoredRate,
  before: StoredRate | undefined,
  nowMs: number,
  maxAgeMs: number,
): boolean {
  if (!before) return true
  if (before.source === 'operator' && before.atMs >= nowMs - maxAgeMs) return false
  if (rate.atMs <= before.atMs) return false
  const isSame =
    compareRates(rate.buy, before.buy) === 0 && compareRates(rate.sell, before.sell) === 0
  return !isSame || rate.atMs - before.atMs >= repeatAfterMs
}

async function writeLastRefresh(sql: Sql, last: LastRefresh): Promise<void> {
  await sql`
    insert into settings (name, value) values (${refreshSetting}, ${sql.json(last)})
    on conflict (name) do update set value = excluded.value, updated_at = now()`
}

export async function readLastRefresh(sql: Sql): Promise<LastRefresh | undefined> {
  const [row] = await sql<{ value: LastRefresh }[]>`
    select value from settings where name = ${refreshSetting}`
  return row?.value
}

/** A person has looked at what is held and says it is right; of one pair, or of all. */
export async function confirmRates(
  tx: Sql,
  clock: Clock,
  pair?: { base: string; quote: string },
): Promise<StoredRate[]> {
  const held = await readHeldRates(tx)
  const meant = held.filter(
    ({ base, quote }) => !pair || (base === pair.base && quote === pair.quote),
  )
  const rates = meant.map(({ heldAtMs: _, ...rate }) => ({ ...rate, atMs: clock.now() }))
  await storeRates(tx, rates)
  if (rates.length > 0) await announceChange(tx, ratesSubject)
  return rates
}

/** A rate by hand. It goes before what the sources say for as long as it is fresh. */
export async function setRate(
  tx: Sql,
  clock: Clock,
  rate: Quote & { base: string; quote: string },
): Promise<void> {
  await storeRates(tx, [{ ...rate, source: 'operator', atMs: clock.now() }])
  await announceChange(tx, ratesSubject)
}
