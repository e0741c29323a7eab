import { createGroupRead } from '../db/group-read.ts'
import type { Db, Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { IdRange } from './days.ts'
import { recordColumns, type TransactionRecord } from './record.ts'

/** The reads that callers repeat all day, many of them in one statement. */
export type TransactionReads = {
  db: Db
  byId(owner: Owner, id: string): Promise<TransactionRecord | undefined>
  byReference(owner: Owner, reference: string): Promise<TransactionRecord | undefined>
  /** The newest of a range of ids, as many as the longest page has. */
  newest(owner: Owner, range: IdRange): Promise<TransactionRecord[]>
}

/** The longest page, and what every page is read as: the planner has to see that it is short. */
export const maxPage = 10

export function createTransactionReads(db: Db): TransactionReads {
  const oneById = createGroupRead((asked: readonly AskedKey[]) => records(asked, byIds(db, asked)))
  const oneByReference = createGroupRead((asked: readonly AskedKey[]) =>
    records(asked, byReferences(db, asked)),
  )
  const page = createGroupRead((asked: readonly AskedPage[]) => records(asked, newestOf(db, asked)))
  return {
    db,
    async byId(owner, id) {
      if (slotOf(id) !== owner.slot) return undefined
      return (await oneById({ owner, key: id }))[0]
    },
    async byReference(owner, reference) {
      // PostgreSQL takes no such text, so no record can have it.
      if (reference.includes('\0')) return undefined
      return (await oneByReference({ owner, key: reference }))[0]
    },
    newest: (owner, range) => page({ owner, range }),
  }
}

export type AskedKey = { owner: Owner; key: string }
export type AskedPage = { owner: Owner; range: IdRange }
type Found = TransactionRecord & { n: number }

/** What was found for each, in the order they were asked. */
async function records(
  asked: readonly object[],
  query: PromiseLike<readonly Found[]>,
): Promise<TransactionRecord[][]> {
  const answers: TransactionRecord[][] = asked.map(() => [])
  for (const found of await query) answers[found.n - 1]!.push(found)
  return answers
}

const ownerColumns: UnnestColumns<{ owner: Owner }> = {
  slot: ['smallint', ({ owner }) => owner.slot],
  account_id: ['uuid', ({ owner }) => owner.accountId],
}
const keyColumns = (type: 'uuid' | 'text'): UnnestColumns<AskedKey> => ({
  ...ownerColumns,
  key: [type, ({ key }) => key],
})
const pageColumns: UnnestColumns<AskedPage> = {
  ...ownerColumns,
  from_id: ['uuid', ({ range }) => range.from],
  to_id: ['uuid', ({ range }) => range.to],
}

// Each is looked for by itself: a join might be planned as one over the whole table, while it is
// young, and stay so.
const each = (sql: Sql, asked: Fragment, one: Fragment) => sql<Found[]>`
  select asked.n::int as n, ${recordColumns(sql)}
  from (${asked}) asked cross join lateral (${one}) t`

const byKey =
  (type: 'uuid' | 'text', column: 'id' | 'external_reference') =>
  (sql: Sql, asked: readonly AskedKey[]) =>
    each(
      sql,
      unnest(sql, 'asked', asked, keyColumns(type)),
      sql`
        select * from transactions o
        where o.slot = asked.slot and o.account_id = asked.account_id
          and o.${sql.unsafe(column)} = asked.key limit 1`,
    )

export const byIds = byKey('uuid', 'id')
export const byReferences = byKey('text', 'external_reference')

// Whole keys are compared and ordered by, where an equals sign for each column would mean the
// same: only one index has that order, so no statistics can lead the planner to another one.
export const newestOf = (sql: Sql, asked: readonly AskedPage[]) =>
  each(
    sql,
    unnest(sql, 'asked', asked, pageColumns),
    sql`
      select * from transactions o
      where (o.slot, o.account_id, o.id) >= (asked.slot, asked.account_id, asked.from_id)
        and (o.slot, o.account_id, o.id) < (asked.slot, asked.account_id, asked.to_id)
      order by o.slot desc, o.account_id desc, o.id desc
      limit ${sql.unsafe(String(maxPage))}`,
  )
