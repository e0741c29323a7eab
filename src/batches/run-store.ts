import type { Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { Environment } from '../environment.ts'
import type { FeeRule } from '../merchants/fee-plan.ts'
import type { Cells, LineError } from './batch.ts'

/** A batch in the hands of a worker, until its lease ends. */
export type ClaimedBatch = {
  slot: number
  id: string
  accountId: string
  environment: Environment
  feePlan: FeeRule[]
  /** When it changed last. */
  updatedAt: Date
  leasedUntil: Date
}

export type ReadyLine = { line: number; reference: string; amount: bigint; cells: Cells }

export type LineOutcome =
  | { line: number; state: 'accepted'; transactionId: string }
  | { line: number; state: 'refused'; errors: LineError[] }

/** The batch that waits longest. Only what runs is ever due: nothing else can be paid. */
export async function claimBatch(
  sql: Sql,
  { nowMs, leaseMs }: { nowMs: number; leaseMs: number },
): Promise<ClaimedBatch | undefined> {
  const [claimed] = await sql<ClaimedBatch[]>`
    update batches b set due_at = ${new Date(nowMs + leaseMs)}
    from accounts a
    where (b.slot, b.id) = (
        select slot, id from batches where state = 'running' and due_at <= ${new Date(nowMs)}
        order by due_at for update skip locked limit 1
      )
      and a.id = b.account_id
    returning b.slot, b.id, b.account_id as "accountId", b.environment,
      a.fee_plan as "feePlan", b.updated_at as "updatedAt", b.due_at as "leasedUntil"`
  return claimed
}

/** The next lines that were not tried, or whose try was not written down. */
export async function readyLines(
  sql: Sql,
  { slot, id }: ClaimedBatch,
  limit: number,
): Promise<ReadyLine[]> {
  return await sql<ReadyLine[]>`
    select line, reference, amount, cells from batch_lines
    where slot = ${slot} and batch_id = ${id} and state = 'ready'
    order by line limit ${limit}`
}

const outcomeColumns: UnnestColumns<LineOutcome> = {
  line: ['integer', ({ line }) => line],
  state: ['text', ({ state }) => state],
  transaction_id: ['uuid', (one) => (one.state === 'accepted' ? one.transactionId : null)],
  errors: ['jsonb', (one) => JSON.stringify(one.state === 'refused' ? one.errors : [])],
}

const rangeOf = (outcomes: readonly LineOutcome[]) => {
  const lines = outcomes.map(({ line }) => line)
  return { first: Math.min(...lines), last: Math.max(...lines) }
}

/** Lines and counts in one statement; a line that was written down before is not counted again. */
export async function recordOutcomes(
  sql: Sql,
  { slot, id }: ClaimedBatch,
  outcomes: readonly LineOutcome[],
  at: Date,
): Promise<number> {
  // A young table looks empty to the planner: the range keeps it from reading all lines for each.
  const { first, last } = rangeOf(outcomes)
  const [row] = await sql<{ changed: number }[]>`
    with changed as (
      update batch_lines l set state = o.state, transaction_id = o.transaction_id,
        errors = o.errors
      from (${unnest(sql, 'outcome', outcomes, outcomeColumns)}) o
      where l.slot = ${slot} and l.batch_id = ${id} and l.state = 'ready' and l.line = o.line
        and l.line between ${first} and ${last}
      returning l.state
    ), counted as (
      select count(*) filter (where state = 'accepted')::int as accepted,
        count(*) filter (where state = 'refused')::int as refused
      from changed
    )
    update batches b set accepted = b.accepted + c.accepted, refused = b.refused + c.refused,
      updated_at = ${at}
    from counted c where b.slot = ${slot} and b.id = ${id}
    returning c.accepted + c.refused as changed`
  return row!.changed
}

/**
 * A refused line whose payout exists after all: a worker that slept past its lease had sent it
 * while another one was refused. Money that moved is always told of.
 */
export async function adoptPaid(
  sql: Sql,
  { slot, id, accountId }: ClaimedBatch,
  at: Date,
): Promise<number> {
  const [row] = await sql<{ adopted: number }[]>`
    with changed as (
      update batch_lines l set state = 'accepted', transaction_id = t.id, errors = '[]'
      from transactions t
      where l.slot = ${slot} and l.batch_id = ${id} and l.state = 'refused'
        and t.slot = ${slot} and t.account_id = ${accountId}
        and t.idempotency_key = 'batch-' || ${id}::text || '-' || l.line
        and t.request_hash = sha256(convert_to(t.idempotency_key, 'UTF8'))
      returning l.line
    ), counted as (select count(*)::int as adopted from changed)
    update batches b set accepted = b.accepted + c.adopted, refused = b.refused - c.adopted,
      state = case when c.adopted > 0 then 'running' else b.state end,
      due_at = case when c.adopted > 0 then ${at}::timestamptz else b.due_at end,
      updated_at = case when c.adopted > 0 then ${at}::timestamptz else b.updated_at end
    from counted c where b.slot = ${slot} and b.id = ${id}
    returning c.adopted`
  return row!.adopted
}

/** Brings home what became of the payouts, and says how many are open still. */
export async function followPayouts(
  sql: Sql,
  { slot, id }: ClaimedBatch,
  at: Date,
): Promise<{ open: number; settled: number }> {
  const [row] = await sql<{ open: number; settled: number }[]>`
    with changed as (
      update batch_lines l set state = t.status from transactions t
      where l.slot = ${slot} and l.batch_id = ${id} and l.state = 'accepted'
        and t.slot = ${slot} and t.id = l.transaction_id and t.status <> 'pending'
      returning l.state
    ), counted as (
      select count(*) filter (where state = 'successful')::int as successful,
        count(*) filter (where state = 'failed')::int as failed
      from changed
    )
    update batches b set successful = b.successful + c.successful, failed = b.failed + c.failed,
      updated_at = case when c.successful + c.failed > 0 then ${at}::timestamptz
        else b.updated_at end
    from counted c where b.slot = ${slot} and b.id = ${id}
    returning b.accepted - b.successful - b.failed as open, c.successful + c.failed as settled`
  return row!
}

/** Lets go of it until then. Whoever has lost the lease changes nothing. */
export async function releaseBatch(
  sql: Sql,
  { slot, id, leasedUntil }: ClaimedBatch,
  dueAt: Date,
): Promise<void> {
  await sql`
    update batches set due_at = ${dueAt}
    where slot = ${slot} and id = ${id} and state = 'running' and due_at = ${leasedUntil}`
}

/** The end, where every line has one; the counts themselves decide. */
export async function finishBatch(
  sql: Sql,
  { slot, id, leasedUntil }: ClaimedBatch,
  at: Date,
): Promise<void> {
  await sql`
    update batches set state = 'done', due_at = null, updated_at = ${at}
    where slot = ${slot} and id = ${id} and state = 'running' and due_at = ${leasedUntil}
      and accepted + refused = valid and successful + failed = accepted`
}
