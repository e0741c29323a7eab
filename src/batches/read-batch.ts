import type { Fragment, Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Batch, BatchKey, Total } from './batch.ts'
import { exceedsLimits, type Limits } from './limits.ts'

type Row = Omit<Batch, 'totals'> & {
  totals: (Omit<Total, 'amount'> & { amount: string })[]
  limits: Limits
}

/** Everything about a batch is in its own row, so a look costs the same while it runs. */
const batchColumns = (sql: Sql): Fragment => sql`
  b.id, b.name, b.state, b.lines, b.valid, b.invalid, b.totals,
  b.needs_approval as "needsApproval", b.accepted, b.refused, b.successful, b.failed,
  json_build_object('id', b.created_by, 'name', b.created_by_name) as "createdBy",
  case when b.approved_by is not null
    then json_build_object('id', b.approved_by, 'name', b.approved_by_name)
  end as "approvedBy",
  b.created_at as "createdAt", b.updated_at as "updatedAt", a.approval_limits as limits,
  (select json_build_object('id', o.id, 'name', o.name) from batches o
    where o.slot = b.slot and o.account_id = b.account_id and o.id < b.id
      and o.file_hash = b.file_hash and o.state <> 'cancelled'
    order by o.id desc limit 1) as "sameFileAs"`

export async function readBatch(
  sql: Sql,
  { slot, accountId, id }: BatchKey,
  { lock = false } = {},
): Promise<Batch> {
  const [row] =
    slotOf(id) === slot
      ? await sql<Row[]>`
          select ${batchColumns(sql)} from batches b join accounts a on a.id = b.account_id
          where b.slot = ${slot} and b.id = ${id} and b.account_id = ${accountId}
          ${lock ? sql`for update of b` : sql``}`
      : []
  if (!row) throw new AppError('BATCH_NOT_FOUND')
  return batchOf(row)
}

/** One page, newest first. */
export async function listBatches(
  sql: Sql,
  { slot, accountId }: Omit<BatchKey, 'id'>,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<Batch[]> {
  if (after !== undefined && slotOf(after) !== slot) throw new AppError('BATCH_NOT_FOUND')
  const rows = await sql<Row[]>`
    select ${batchColumns(sql)} from batches b join accounts a on a.id = b.account_id
    where b.slot = ${slot} and b.account_id = ${accountId}
      ${after === undefined ? sql`` : sql`and b.id < ${after}`}
    order by b.id desc limit ${limit}`
  return rows.map(batchOf)
}

function batchOf({ limits, ...row }: Row): Batch {
  const totals = row.totals.map((total) => ({ ...total, amount: BigInt(total.amount) }))
  const needsApproval = row.state === 'draft' ? exceedsLimits(totals, limits) : row.needsApproval
  return { ...row, totals, needsApproval }
}
