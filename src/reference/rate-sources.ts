import { createReadStream } from 'node:fs'
import type { Currency } from '../money/currencies.ts'
import { MoneyError } from '../money/money-error.ts'
import { type Rate, rateFromText } from '../money/rates.ts'
import { cellsOf, FileProblem, linesOf } from './csv.ts'

/** What a source says of a pair: a middle rate, or both sides. */
export type Said = {
  base: Currency
  quote: Currency
  price: { middle: Rate } | { buy: Rate; sell: Rate }
}

export type Reading = {
  said: Said[]
  /** When it was true, where the source tells. */
  atMs?: number
  /** Sentences about what could not be used. */
  problems: string[]
}

/** Where rates come from. To be asked again and again; it throws where it has nothing to say. */
export type RateSource = { name: 'file' | 'feed'; read(): Promise<Reading> }

const pairShape = /^([A-Z]{3})\/([A-Z]{3})$/

export function readPair(text: string): { base: Currency; quote: Currency } | undefined {
  const [, base, quote] = pairShape.exec(text.trim().toUpperCase()) ?? []
  return base && quote ? { base, quote } : undefined
}

/** A rate as somebody wrote it, or nothing where it is none. */
export function readRate(value: unknown): Rate | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  try {
    return rateFromText(String(value).trim())
  } catch (error) {
    if (error instanceof MoneyError) return undefined
    throw error
  }
}

/** A file with the columns pair and mid, or pair, buy and sell. */
export function fileSource(file: string | URL): RateSource {
  return { name: 'file', read: () => readRatesFile(createReadStream(file)) }
}

async function readRatesFile(pieces: AsyncIterable<Uint8Array>): Promise<Reading> {
  const reading: Reading = { said: [], problems: [] }
  let header: string[] | undefined
  let number = 0
  for await (const text of linesOf(pieces)) {
    number++
    if (text.trim() === '') continue
    const cells = cellsOf(text) ?? []
    if (header === undefined) {
      header = cells
      const columns = header.join(',')
      if (columns === 'pair,mid' || columns === 'pair,buy,sell') continue
      throw new FileProblem('The rates file must begin with "pair,mid" or "pair,buy,sell".')
    }
    const said = readCells(cells, header.length)
    if (said) reading.said.push(said)
    else reading.problems.push(`Line ${number} of the rates file is not a pair with its rates.`)
  }
  return reading
}

function readCells(cells: readonly string[], length: number): Said | undefined {
  const pair = readPair(cells[0] ?? '')
  const [first, second] = cells.slice(1).map(readRate)
  if (!pair || cells.length !== length || !first) return undefined
  if (length === 2) return { ...pair, price: { middle: first } }
  return second ? { ...pair, price: { buy: first, sell: second } } : undefined
}
