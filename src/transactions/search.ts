import type { Fragment, Sql } from '../db/pool.ts'
import { validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { currencies } from '../money/currencies.ts'
import { firstId, type IdRange, lastId } from './days.ts'
import { type TransactionKind, type TransactionStatus, transactionStatuses } from './record.ts'
import { rowsOf, type TransactionRow } from './row.ts'

export const transactionKinds = ['charge', 'payout', 'reversal'] as const
export const transactionMethods = ['momo', 'bank', 'card'] as const

export type SearchFilter = {
  /** An id, or the beginning of a reference. */
  search?: string | undefined
  kind?: TransactionKind | undefined
  status?: TransactionStatus | undefined
  method?: (typeof transactionMethods)[number] | undefined
  currency?: string | undefined
  range: IdRange
  /** What the page before called next. */
  after?: string | undefined
  limit: number
}

/** `next` may lead on although the page is short: then more is left to look through. */
export type FoundPage = { rows: TransactionRow[]; next: string | null }

/** A page and one more, which tells whether there is another. The planner sees the number. */
const [pageScan, longPageScan] = [101, 1_001] as const
/** What no index answers is looked for in so many rows at once, and so many times. */
const wideScan = 2_000
const maxScans = 15
export const maxSearchPage = pageScan - 1
export const maxExportPage = longPageScan - 1

const allCurrencies = currencies.map(({ code }) => code)

/** One page, newest first. Its cost has a bound, however many there are and however few fit. */
export async function searchTransactions(
  sql: Sql,
  owner: Owner,
  filter: SearchFilter,
): Promise<FoundPage> {
  const { search, after, range } = filter
  if (search === undefined && after !== undefined && slotOf(after) !== owner.slot) {
    throw validationError('after must be what the page before called next.')
  }
  const start = after !== undefined && after < range.to ? after : range.to
  const found =
    search === undefined
      ? await scan(filter, start, 'id', (to, size) => idsBelow(sql, owner, filter, to, size))
      : await searchFor(sql, owner, filter, search)
  return {
    rows: await rowsOf(
      sql,
      owner,
      found.hits.map(({ id }) => id),
    ),
    next: found.next,
  }
}

type Hit = {
  id: string
  reference?: string
  kind?: string
  status?: string
  method?: string
  currency?: string
}
type Hits = { hits: Hit[]; next: string | null }

/** Takes what fits from one stretch after the other, until the page is full. */
async function scan(
  filter: SearchFilter,
  start: string,
  key: 'id' | 'reference',
  fetchBelow: (position: string, size: number) => Promise<readonly Hit[]>,
): Promise<Hits> {
  const { limit } = filter
  const hits: Hit[] = []
  let position = start
  const size = !isAnswered(filter) ? wideScan : limit < pageScan ? pageScan : longPageScan
  for (let scans = 0; scans < maxScans; scans++) {
    const stretch = await fetchBelow(position, size)
    for (const hit of stretch) {
      if (!fits(hit, filter)) continue
      if (hits.length === limit) return { hits, next: hits.at(-1)![key]! }
      hits.push(hit)
    }
    if (stretch.length < size) return { hits, next: null }
    position = stretch.at(-1)![key]!
  }
  return { hits, next: position }
}

/** Whether the statement finds nothing but what is wanted. */
function isAnswered({ search, kind, status, method, currency, range }: SearchFilter): boolean {
  if (method !== undefined) return false
  const isWhole = range.from === firstId && range.to === lastId
  return (
    search === undefined || ([kind, status, currency].every((one) => one === undefined) && isWhole)
  )
}

/** What the statement did not compare already is compared here. */
function fits(hit: Hit, { kind, status, method, currency, range }: SearchFilter): boolean {
  const is = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || found === undefined || wanted === found
  return (
    is(kind, hit.kind) &&
    is(status, hit.status) &&
    is(method, hit.method) &&
    is(currency, hit.currency) &&
    hit.id >= range.from &&
    hit.id < range.to
  )
}

function idsBelow(
  sql: Sql,
  owner: Owner,
  filter: SearchFilter,
  to: string,
  size: number,
): Promise<Hit[]> {
  const { kind, status, currency, range } = filter
  const page = { from: range.from, to }
  const isWhole = kind === undefined && status === undefined && currency === undefined
  return isWhole
    ? allBelow(sql, owner, page, filter, size)
    : someBelow(sql, owner, page, filter, size)
}

const literal = (sql: Sql, size: number): Fragment => sql.unsafe(String(size))
/** Only where it is asked for: without it the index alone answers. */
const methodColumn = (sql: Sql, { method }: SearchFilter): Fragment =>
  method === undefined ? sql`` : sql`, t.method`

// As in list.ts: whole keys leave the planner one index to choose.
export function allBelow(
  sql: Sql,
  { slot, accountId }: Owner,
  { from, to }: IdRange,
  filter: SearchFilter,
  size: number,
) {
  return sql<Hit[]>`
    select t.id ${methodColumn(sql, filter)} from transactions t
    where (t.slot, t.account_id, t.id) >= (${slot}::smallint, ${accountId}::uuid, ${from}::uuid)
      and (t.slot, t.account_id, t.id) < (${slot}::smallint, ${accountId}::uuid, ${to}::uuid)
    order by t.slot desc, t.account_id desc, t.id desc
    limit ${literal(sql, size)}`
}

/** The first of each combination of currency, kind and status, and of those the first. */
export function someBelow(
  sql: Sql,
  { slot, accountId }: Owner,
  { from, to }: IdRange,
  filter: SearchFilter,
  size: number,
) {
  const { kind, status, currency } = filter
  return sql<Hit[]>`
    select found.*
    from unnest(${currency === undefined ? allCurrencies : [currency]}::text[]) as c(currency)
    cross join unnest(${kind === undefined ? transactionKinds : [kind]}::text[]) as k(kind)
    cross join unnest(${status === undefined ? transactionStatuses : [status]}::text[]) as s(status)
    cross join lateral (
      select t.id ${methodColumn(sql, filter)} from transactions t
      where t.slot = ${slot}::smallint and t.account_id = ${accountId}::uuid
        and t.currency = c.currency and t.kind = k.kind and t.status = s.status
        and t.id >= ${from}::uuid and t.id < ${to}::uuid
      order by t.id desc
      limit ${literal(sql, size)}
    ) found
    order by found.id desc
    limit ${literal(sql, size)}`
}

/** The one with the id, and those whose reference begins with the text, in its order. */
async function searchFor(
  sql: Sql,
  owner: Owner,
  filter: SearchFilter,
  text: string,
): Promise<Hits> {
  // PostgreSQL takes no such text, so no reference has it.
  if (text.includes('\0') || filter.after?.includes('\0')) return { hits: [], next: null }
  const start = filter.after ?? `${text}\u{10ffff}`
  const found = await scan(filter, start, 'reference', (below, size) =>
    referencesBelow(sql, owner, text, below, size),
  )
  found.hits = found.hits.filter(({ reference }) => reference!.startsWith(text))
  if (slotOf(text) !== owner.slot || filter.after !== undefined) return found
  const named = await rowsOf(sql, owner, [text])
  const own = named.filter(
    (row) => fits(row, filter) && found.hits.every(({ id }) => id !== row.id),
  )
  return { ...found, hits: [...own, ...found.hits] }
}

/**
 * In the order of the index that keeps references apart, the greatest first: another one for this
 * alone would cost every payment. That order is by bytes in a database as we make it; where it is
 * that of a language, some that begin with the text may lie elsewhere and are not found.
 */
export function referencesBelow(
  sql: Sql,
  { slot, accountId }: Owner,
  text: string,
  below: string,
  size: number,
) {
  return sql<Hit[]>`
    select t.id, t.external_reference as reference, t.kind, t.status, t.method, t.currency
    from transactions t
    where t.slot = ${slot} and t.account_id = ${accountId}
      and t.external_reference >= ${text} and t.external_reference < ${below}
    order by t.external_reference desc
    limit ${literal(sql, size)}`
}
