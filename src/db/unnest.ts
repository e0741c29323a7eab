import type { Fragment, Sql } from './pool.ts'

/** A column: its SQL type, and where a row has its value. */
export type UnnestColumns<Row> = Readonly<Record<string, readonly [string, (row: Row) => unknown]>>

/**
 * Rows as a table inside a statement, one array for each column: the text stays the same however
 * many rows there are, so the statement stays prepared. `n` numbers the rows.
 */
export function unnest<Row>(
  sql: Sql,
  name: string,
  rows: readonly Row[],
  columns: UnnestColumns<Row>,
): Fragment {
  const { pieces, picks } = shapeOf(name, columns)
  return sql(pieces, ...picks.map((pick) => arrayText(rows, pick as (row: Row) => unknown)))
}

/** The text around the arrays, which is the same each time, and where their elements come from. */
type Shape = { pieces: TemplateStringsArray; picks: readonly ((row: never) => unknown)[] }

const shapes = new WeakMap<object, Map<string, Shape>>()

function shapeOf(name: string, columns: UnnestColumns<never>): Shape {
  const named = shapes.get(columns) ?? new Map<string, Shape>()
  const known = named.get(name)
  if (known !== undefined) return known
  const types = Object.values(columns).map(([type]) => type)
  const between = types.slice(0, -1).map((type) => `::${type}[], `)
  const alias = `${name}(${Object.keys(columns).join(', ')}, n)`
  const end = `::${types.at(-1)}[]) with ordinality as ${alias}`
  const texts = ['select * from unnest(', ...between, end]
  const shape = {
    pieces: Object.assign(texts, { raw: texts }),
    picks: Object.values(columns).map(([, pick]) => pick),
  }
  shapes.set(columns, named.set(name, shape))
  return shape
}

/** As PostgreSQL reads arrays. Written here, it costs a fifth of what it does in the driver. */
function arrayText<Row>(rows: readonly Row[], pick: (row: Row) => unknown): string {
  let text = '{'
  for (const row of rows) {
    if (text.length > 1) text += ','
    text += elementText(pick(row))
  }
  return `${text}}`
}

function elementText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'NULL'
  if (value instanceof Date) return timeText(value.getTime())
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  if (value === undefined || typeof value === 'object') {
    throw new Error('a row has something that cannot be an element of an array')
  }
  return String(value)
}

const special = /["\\]/
const control = /[\p{Cc}\p{Cs}]/u

/** JSON escapes quotes and backslashes as PostgreSQL does, and faster than we could. */
function quoted(value: string): string {
  if (!special.test(value)) return `"${value}"`
  if (!control.test(value)) return JSON.stringify(value)
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

let lastMs = Number.NaN
let lastText = ''

/** The rows of a batch mostly have the same few times, one after another. */
function timeText(ms: number): string {
  if (ms === lastMs) return lastText
  lastText = `"${new Date(ms).toISOString()}"`
  lastMs = ms
  return lastText
}
