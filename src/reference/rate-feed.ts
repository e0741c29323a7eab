import { setTimeout as delay } from 'node:timers/promises'
import { currency } from '../money/currencies.ts'
import { type RateSource, type Reading, readPair, readRate, type Said } from './rate-sources.ts'

export type FeedOptions = { url: string; timeoutMs?: number; pauseMs?: number }

const maxTries = 3
const defaultTimeoutMs = 10_000
const firstPauseMs = 500
const maxBytes = 1024 * 1024
const maxEntries = 1000
const secondsBelow = 100_000_000_000

/** Something is wrong with what the feed sent; asking again at once will not mend it. */
class FeedProblem extends Error {
  override name = 'FeedProblem'
}

/**
 * A JSON feed over HTTP. It may send `{base, rates: {KES: 129.2}}` with middle rates, as most
 * public feeds do, or `{rates: [{pair: "USD/KES", buy, sell}]}`; in both, `timestamp` or `date` may
 * tell when they were true.
 */
export function feedSource(options: FeedOptions): RateSource {
  return {
    name: 'feed',
    async read() {
      for (let attempt = 1; ; attempt++) {
        try {
          return readFeed(await fetchJson(options))
        } catch (error) {
          if (error instanceof FeedProblem || attempt >= maxTries) throw error
          await delay((options.pauseMs ?? firstPauseMs) * 2 ** (attempt - 1))
        }
      }
    },
  }
}

async function fetchJson({ url, timeoutMs = defaultTimeoutMs }: FeedOptions): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await readBounded(response)
  if (!response.ok) throw new Error(`The feed answered with status ${response.status}.`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FeedProblem('The feed did not send JSON.', { cause: error })
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > maxBytes) throw new FeedProblem(`The feed sent more than ${maxBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function readFeed(document: unknown): Reading {
  const { base, rates, timestamp, date } = asRecord(document)
  const reading: Reading = { said: [], problems: [] }
  const atMs = readTime(timestamp ?? date)
  if (atMs !== undefined) reading.atMs = atMs
  const entries = Array.isArray(rates) ? rates.map(listed) : mapped(base, rates)
  if (entries.length > maxEntries) throw new FeedProblem(`The feed has over ${maxEntries} pairs.`)
  for (const { name, said } of entries) {
    if (said) reading.said.push(said)
    else if (name !== '') reading.problems.push(`The feed has no usable rate for ${name}.`)
  }
  if (reading.said.length === 0) throw new FeedProblem('The feed has no rate that can be used.')
  return reading
}

type Entry = { name: string; said?: Said }

/** Feeds tell the whole world: what is no currency of ours has no name here. */
function mapped(base: unknown, rates: unknown): Entry[] {
  const from = typeof base === 'string' ? base.toUpperCase() : 'USD'
  return Object.entries(asRecord(rates)).map(([code, value]) => {
    const isOurs = currency(from) && currency(code) && code !== from
    if (!isOurs) return { name: '' }
    const name = `${from}/${code}`
    const middle = readRate(value)
    return middle ? { name, said: { base: from, quote: code, price: { middle } } } : { name }
  })
}

function listed(entry: unknown): Entry {
  const { pair, buy, sell, mid } = asRecord(entry)
  const name = String(pair ?? '').slice(0, 20)
  const read = readPair(name)
  if (!read || !currency(read.base) || !currency(read.quote)) return { name: '' }
  const [bought, sold, middle] = [readRate(buy), readRate(sell), readRate(mid)]
  if (bought && sold) return { name, said: { ...read, price: { buy: bought, sell: sold } } }
  return middle ? { name, said: { ...read, price: { middle } } } : { name }
}

/** Seconds, milliseconds, or a date as text. */
function readTime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const ms =
    typeof value === 'number'
      ? value * (value < secondsBelow ? 1000 : 1)
      : Date.parse(typeof value === 'string' ? value : '')
  if (!Number.isFinite(ms)) throw new FeedProblem('The feed has a time that is none.')
  return ms
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new FeedProblem('The feed sent JSON of another shape.')
}
