import type { Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { BatchKey } from './batch.ts'

/** Older ones change no more, or nobody looks at them. */
const watched = 50

type OwnerKey = Omit<BatchKey, 'id'>

const ownerColumns: UnnestColumns<OwnerKey> = {
  slot: ['smallint', ({ slot }) => slot],
  account_id: ['uuid', ({ accountId }) => accountId],
}

/** How many of the youngest batches wait for a second person. */
export async function countToApprove(sql: Sql, { slot, accountId }: OwnerKey): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select state from batches where slot = ${slot} and account_id = ${accountId}
      order by id desc limit ${watched}
    ) young
    where state = 'waiting_for_approval'`
  return row!.count
}

/** The batches of these accounts that changed since a time. */
export function changedBatches(
  sql: Sql,
  owners: readonly OwnerKey[],
  since: Date,
): Promise<{ id: string; accountId: string; updatedAt: Date }[]> {
  return sql<{ id: string; accountId: string; updatedAt: Date }[]>`
    select b.id, o.account_id as "accountId", b.updated_at as "updatedAt"
    from (${unnest(sql, 'o', owners, ownerColumns)}) o
    cross join lateral (
      select id, updated_at from batches y
      where y.slot = o.slot and y.account_id = o.account_id
      order by y.id desc limit ${watched}
    ) b
    where b.updated_at > ${since}::timestamptz`
}
