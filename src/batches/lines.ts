import type { Sql } from '../db/pool.ts'
import type { TransactionStatus } from '../transactions/record.ts'
import type { BatchKey, Cells, LineError, LineState } from './batch.ts'

export type BatchLine = {
  line: number
  state: LineState
  reference: string
  /** In minor units, where it could be read. */
  amount: bigint | null
  cells: Cells
  errors: LineError[]
  transactionId: string | null
  status: TransactionStatus | null
  failureReason: string | null
}

export type LinesPage = { state?: LineState | undefined; after?: number | undefined; limit: number }

/** In the order of the file. What the payout says counts, also where the batch did not hear it. */
export async function listLines(
  sql: Sql,
  { slot, id }: BatchKey,
  { state, after = 0, limit }: LinesPage,
): Promise<BatchLine[]> {
  return await sql<BatchLine[]>`
    select l.line, l.reference, l.amount, l.cells, l.errors, l.transaction_id as "transactionId",
      case when l.state = 'accepted' and t.status <> 'pending' then t.status else l.state end
        as state,
      t.status, t.failure_reason as "failureReason"
    from batch_lines l left join lateral (
      select status, failure_reason from transactions
      where slot = ${slot} and id = l.transaction_id
      offset 0
    ) t on true
    where l.slot = ${slot} and l.batch_id = ${id} and l.line > ${after}
      ${state === undefined ? sql`` : sql`and l.state = ${state}`}
    order by l.line limit ${limit}`
}
