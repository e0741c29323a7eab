import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import type { Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { audit } from '../merchants/audit.ts'
import { isJump, type Quote } from '../money/quotes.ts'
import { rateFromText, textFromRate } from '../money/rates.ts'
import { pairName, type StoredRate } from '../reference/rate-quotes.ts'
import { readPair } from '../reference/rate-sources.ts'
import { rateProblem, readHeldRates, readLastRates } from '../reference/rate-store.ts'
import { ratesSetup, seedRatesFor } from '../reference/rates-setup.ts'
import {
  confirmRates,
  jumpBasisPoints,
  originsLeftOut,
  readLastRefresh,
  setRate,
} from '../reference/refresh-rates.ts'
import { CommandError } from './command-error.ts'
import { counted, joinBlocks, joinLines, table } from './layout.ts'
import { aboutMoney, leaf } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type SetOptions = AnswerOptions & { buy: string; sell: string; confirm?: boolean }

const columns = [
  { title: 'PAIR' },
  { title: 'BUY', align: 'right' as const },
  { title: 'SELL', align: 'right' as const },
  { title: 'SOURCE' },
  { title: 'AT' },
  { title: 'STATE' },
]

export function addRatesCommands(program: Command, terminal: Terminal): void {
  const rates = program.command('rates').description('Show, set and confirm exchange rates')

  leaf(rates, 'list', 'Show the rates in use and those that are held').action(
    (options: AnswerOptions) => terminal.answer(options, list),
  )

  leaf(rates, 'set', 'Set a rate by hand; it goes before the sources while it is fresh')
    .argument('<pair>', 'such as USD/KES')
    .requiredOption('--buy <rate>', 'what a merchant gets for one unit of the first currency')
    .requiredOption('--sell <rate>', 'what one unit of the first currency costs a merchant')
    .option('--confirm', 'also where it is more than 20 % from the rate before')
    .action((pair: string, options: SetOptions) =>
      terminal.answer(options, (session) => set(session, pair, options)),
    )

  leaf(rates, 'confirm', 'Believe what is held, of one pair or of all')
    .argument('[pair]', 'such as USD/KES; all if absent')
    .action((pair: string | undefined, options: AnswerOptions) =>
      terminal.answer(options, (session) => confirm(session, pair)),
    )
}

async function list({ db, config }: Session): Promise<Answer> {
  const setup = ratesSetup(config)
  await seedRatesFor(db, systemClock, setup)
  const last = await readLastRates(db, originsLeftOut(setup.source.name))
  const held = await readHeldRates(db)
  const refresh = await readLastRefresh(db)
  const sinceMs = systemClock.now() - setup.maxAgeMs
  const listed = [
    ...last.map((rate) => shown(rate, rate.atMs >= sinceMs ? 'fresh' : 'too old')),
    ...held.map((rate) => shown(rate, 'held')),
  ]
  const rows = listed.map(({ pair, buy, sell, source, at, state }) => [
    pair,
    buy,
    sell,
    source,
    at,
    state,
  ])
  const refreshed = refresh
    ? `Last asked ${refresh.at}: ${refresh.isGood ? 'answered' : 'no answer'}.`
    : 'The source has not been asked yet.'
  return {
    text: joinBlocks([
      rows.length > 0 ? table(columns, rows) : 'There are no rates.',
      joinLines([refreshed, ...(refresh?.problems ?? []).map((problem) => `- ${problem}`)]),
      ...(held.length > 0 ? ['malipo rates confirm believes what is held.'] : []),
    ]),
    json: { rates: listed, refresh: refresh ?? null },
  }
}

function shown(rate: StoredRate, state: string) {
  return {
    pair: pairName(rate.base, rate.quote),
    buy: textFromRate(rate.buy),
    sell: textFromRate(rate.sell),
    source: rate.source,
    at: new Date(rate.atMs).toISOString(),
    state,
  }
}

function requirePair(text: string): { base: string; quote: string } {
  const pair = readPair(text)
  if (pair) return pair
  throw new CommandError(`"${text}" is not a pair: write it like USD/KES.`)
}

async function set(session: Session, text: string, options: SetOptions): Promise<Answer> {
  const { db, ids, actor } = session
  const pair = requirePair(text)
  const name = pairName(pair.base, pair.quote)
  const quote = {
    buy: aboutMoney('The buy rate', () => rateFromText(options.buy)),
    sell: aboutMoney('The sell rate', () => rateFromText(options.sell)),
  }
  const problem = rateProblem(pair.base, pair.quote, quote)
  if (problem !== undefined) throw new CommandError(`The pair ${name} ${problem}.`)
  await seedRatesFor(db, systemClock, ratesSetup(session.config))
  const sides = { buy: textFromRate(quote.buy), sell: textFromRate(quote.sell) }
  await transaction(db, async (tx) => {
    if (!options.confirm) await refuseJump(tx, session, name, quote)
    await setRate(tx, systemClock, { ...pair, ...quote })
    await audit(tx, ids, { actor, action: 'rates.set', subject: name, detail: sides })
  })
  return {
    text: `The rate ${name} is set: buy ${sides.buy}, sell ${sides.sell}.`,
    json: { pair: name, ...sides },
  }
}

async function refuseJump(tx: Sql, { config }: Session, name: string, quote: Quote): Promise<void> {
  const last = await readLastRates(tx, originsLeftOut(ratesSetup(config).source.name))
  const before = last.find((rate) => pairName(rate.base, rate.quote) === name)
  if (!before || !isJump(before, quote, jumpBasisPoints)) return
  const { buy, sell } = shown(before, '')
  throw new CommandError(
    `That is more than 20 % from the rate before (buy ${buy}, sell ${sell}). ` +
      'If it is right, add --confirm.',
  )
}

async function confirm({ db, ids, actor }: Session, text: string | undefined): Promise<Answer> {
  const pair = text === undefined ? undefined : requirePair(text)
  const rates = await transaction(db, async (tx) => {
    const confirmed = await confirmRates(tx, systemClock, pair)
    for (const rate of confirmed) {
      const { pair: subject, buy, sell } = shown(rate, '')
      await audit(tx, ids, { actor, action: 'rates.confirm', subject, detail: { buy, sell } })
    }
    return confirmed
  })
  const lines = rates.map((rate) => shown(rate, 'fresh'))
  return {
    text: joinLines([
      rates.length === 0
        ? 'No such rate is held.'
        : `${counted(rates.length, 'rate')} will be used from now on.`,
      ...lines.map(({ pair: name, buy, sell }) => `${name}: buy ${buy}, sell ${sell}`),
    ]),
    json: lines,
    exitCode: rates.length === 0 ? 1 : 0,
  }
}
