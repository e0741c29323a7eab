import type { Fragment, Sql } from '../db/pool.ts'
import { validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { currencies } from '../money/currencies.ts'
import { type Days, type IdRange, idRange } from './days.ts'
import { maxPage, type TransactionReads } from './reads.ts'
import {
  recordColumns,
  type TransactionKind,
  type TransactionRecord,
  type TransactionStatus,
  transactionStatuses,
} from './record.ts'

/** How callers name the two directions; `withdrawal` is another word for `withdrew`. */
export const kindsOf = {
  deposit: ['charge', 'reversal'],
  withdrew: ['payout'],
  withdrawal: ['payout'],
} as const satisfies Record<string, readonly TransactionKind[]>

export type TransactionFilter = Days & {
  currency?: string | undefined
  type?: keyof typeof kindsOf | undefined
  status?: TransactionStatus | undefined
  externalReference?: string | undefined
  /** The id of the last one of the page before. */
  after?: string | undefined
  limit: number
}

const allKinds: readonly TransactionKind[] = ['payout', 'charge', 'reversal']
const allCurrencies = currencies.map(({ code }) => code)

/** One page, newest first. It costs the same however many there are and however far it lies. */
export async function listTransactions(
  reads: TransactionReads,
  owner: Owner & { timeZone: string },
  filter: TransactionFilter,
): Promise<TransactionRecord[]> {
  const range = idRange(filter, owner.timeZone)
  const { after, limit } = filter
  if (after !== undefined && slotOf(after) !== owner.slot) throw wrongCursor()
  const to = after !== undefined && after < range.to ? after : range.to
  const [found] = await Promise.all([
    pageOf(reads, owner, { from: range.from, to }, filter),
    after === undefined ? undefined : checkCursor(reads, owner, after),
  ])
  return found.slice(0, limit)
}

async function pageOf(
  reads: TransactionReads,
  owner: Owner,
  range: IdRange,
  filter: TransactionFilter,
): Promise<TransactionRecord[]> {
  const { currency, type, status, externalReference } = filter
  if (externalReference !== undefined) {
    const record = await reads.byReference(owner, externalReference)
    return record && isWanted(record, range, filter) ? [record] : []
  }
  const isWhole = currency === undefined && type === undefined && status === undefined
  if (isWhole) return await reads.newest(owner, range)
  return await someOf(reads.db, owner, range, filter)
}

type Choice = Pick<TransactionFilter, 'currency' | 'type' | 'status'>

async function checkCursor(reads: TransactionReads, owner: Owner, after: string): Promise<void> {
  if (!(await reads.byId(owner, after))) throw wrongCursor()
}

const wrongCursor = () => validationError('transactionId must be the id of a transaction.')

const longest = (sql: Sql): Fragment => sql.unsafe(String(maxPage))

/**
 * Each combination of currency, kind and status is a stretch of one index, in the order of the
 * list. The first of each are taken, and of those together the first: never more than a page for
 * each combination. A payout may be in a currency without a wallet, so all currencies count. Here
 * each column is compared by itself: PostgreSQL 15 would read past the end of a whole key.
 */
export function someOf(
  sql: Sql,
  { slot, accountId }: Owner,
  { from, to }: IdRange,
  { currency, type, status }: Choice,
) {
  const [wantedCurrencies, kinds, statuses] = [
    currency === undefined ? allCurrencies : [currency],
    type === undefined ? allKinds : kindsOf[type],
    status === undefined ? transactionStatuses : [status],
  ]
  return sql<TransactionRecord[]>`
    with page as materialized (
      select found.id
      from unnest(${wantedCurrencies}::text[]) as c(currency)
      cross join unnest(${kinds}::text[]) as k(kind)
      cross join unnest(${statuses}::text[]) as s(status)
      cross join lateral (
        select i.id from transactions i
        where i.slot = ${slot}::smallint and i.account_id = ${accountId}::uuid
          and i.currency = c.currency and i.kind = k.kind and i.status = s.status
          and i.id >= ${from}::uuid and i.id < ${to}::uuid
        order by i.id desc
        limit ${longest(sql)}
      ) found
      order by found.id desc
      limit ${longest(sql)}
    )
    select ${recordColumns(sql)}
    from page join transactions t on t.slot = ${slot} and t.id = page.id
    order by t.id desc`
}

/** A reference names one at most; the other filters say whether it is wanted. */
function isWanted(
  record: TransactionRecord,
  { from, to }: IdRange,
  { currency, type, status }: Choice,
): boolean {
  return (
    record.id >= from &&
    record.id < to &&
    (currency === undefined || record.currency === currency) &&
    (type === undefined || (kindsOf[type] as readonly string[]).includes(record.kind)) &&
    (status === undefined || record.status === status)
  )
}
