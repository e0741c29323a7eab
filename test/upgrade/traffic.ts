import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'

/** One statement as the older program sent it: its number in the file, and its parameters. */
export type Sent = { statement: number; values: unknown[] }

const folder = new URL('recorded/', import.meta.url)
const separator = /^-- \d+\n/m
const idPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g

const readRecorded = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

const readLines = (name: string): [never, never][] =>
  readRecorded(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A recording of named parts, one in a line. */
export const readParts = (name: string): unknown => Object.fromEntries(readLines(name))

export function readStatements(): string[] {
  return readRecorded('statements.sql')
    .split(separator)
    .slice(1)
    .map((text) => text.trim())
}

export function readTraffic(): Sent[] {
  return readLines('traffic.jsonl').map(([statement, values]) => ({ statement, values }))
}

/** Those that were there before the recording began stay what they are in every run. */
export function knownIds(): Set<string> {
  return new Set(readRecorded('data.jsonl').match(idPattern) ?? [])
}

/**
 * The parameters for another run: ids, references and account numbers that the recording made are
 * others in each run, as they would be in another hour of the same program.
 */
export function freshValues(values: unknown[], run: string, known: Set<string>): unknown[] {
  const text = JSON.stringify(values)
    .replaceAll(idPattern, (id) => (known.has(id) ? id : freshId(id, run)))
    .replaceAll(/\brecorded-(payout|charge|key)-\d\b/g, (reference) => `${reference}-${run}`)
    .replaceAll(/"key_[\w-]+"/g, (key) => `"key_${digits(`${key} ${run}`)}"`)
    .replaceAll(/\b(99|2547)(\d{8})\b/g, (number, area) => area + digits(`${number} ${run}`))
  return JSON.parse(text) as unknown[]
}

/** The time in front and the slot at the end stay. */
function freshId(id: string, run: string): string {
  const hash = createHash('sha256').update(`${id} ${run}`).digest('hex')
  return `${id.slice(0, 19)}8${hash.slice(0, 3)}-${hash.slice(3, 11)}${id.slice(-4)}`
}

function digits(text: string): string {
  const hash = createHash('sha256').update(text).digest()
  return String(hash.readUInt32BE() % 100_000_000).padStart(8, '0')
}

export type Took = { statement: number; ms: number }

/** Sends the recorded statements once, prepared under their names as the older program does. */
export async function replay(
  client: pg.Client,
  { statements, traffic, run }: { statements: string[]; traffic: Sent[]; run: string },
): Promise<Took[]> {
  const known = knownIds()
  const took: Took[] = []
  for (const { statement, values } of traffic) {
    const text = statements[statement - 1]!
    const name = values.length > 0 ? { name: `malipo_${statement}` } : {}
    const from = performance.now()
    try {
      await client.query({ text, values: freshValues(values, run, known), ...name })
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      throw new Error(`Statement ${statement} of the older program failed: ${words}`, {
        cause: error,
      })
    }
    took.push({ statement, ms: performance.now() - from })
  }
  return took
}
