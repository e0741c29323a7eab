import type { Db, Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { postWith } from '../ledger/post.ts'
import type { Posting } from '../ledger/posting.ts'
import { type Attempt, attemptsPart } from '../transactions/attempts.ts'
import { createStepWriter, type StepWriter } from '../transactions/step-writer.ts'
import { type TransactionEvent, toldPart } from '../webhooks/event.ts'
import type { Payout, PayoutState } from './payout.ts'

/** The only writer of a payout's state. Every change names the state it expects to find. */

export const payoutColumns = (sql: Sql, alias: string): Fragment =>
  sql.unsafe(
    [
      ...[
        'slot',
        'id',
        'account_id as "accountId"',
        'environment',
        'state',
        'method',
        'destination',
      ],
      ...['external_reference as "externalReference"', 'country', 'currency', 'amount', 'fee'],
      ...['wallet_id as "walletId"', 'wallet_currency as "walletCurrency"', 'code', 'rail'],
      ...['wallet_amount as "walletAmount"', 'account_name as "accountName"', 'submits', 'lookups'],
      ...['account_number as "accountNumber"', 'branch_code as "branchCode"'],
      ...['business_number as "businessNumber"', 'rail_turn as "railTurn"'],
      ...['provider_reference as "providerReference"', 'submitted_at as "submittedAt"'],
      'created_at as "createdAt"',
    ]
      .map((column) => `${alias}.${column}`)
      .join(', '),
  )

/** A payout that is now this worker's to attend, and the state it was found in. */
export type Claimed = { payout: Payout; found: PayoutState; leasedUntilMs: number }

/**
 * Takes due payouts for the time of a lease. Those not sent yet become `submitting` in the same
 * commit: from here on nobody sends them without asking the rail first.
 */
export async function claimDue(
  db: Db,
  {
    rails,
    nowMs,
    leaseMs,
    limit,
  }: { rails: string[]; nowMs: number; leaseMs: number; limit: number },
): Promise<Claimed[]> {
  const now = new Date(nowMs)
  const leasedUntil = new Date(nowMs + leaseMs)
  // The time of sending also names the attempt, so no two of a payout have the same.
  const rows = await db<(Payout & { found: PayoutState })[]>`
    with due as materialized (
      select slot, id, state from transactions
      where due_at <= ${now}::timestamptz and kind = 'payout' and rail = any(${rails}::text[])
      order by due_at limit ${limit} for update skip locked
    )
    update transactions t set
      due_at = ${leasedUntil}::timestamptz,
      leased_until = ${leasedUntil}::timestamptz,
      state = case when t.state = 'accepted' then 'submitting' else t.state end,
      submits = t.submits + (t.state = 'accepted')::int,
      submitted_at = case when t.state = 'accepted'
        then greatest(${now}::timestamptz, t.submitted_at + interval '1 millisecond')
        else t.submitted_at end,
      updated_at = ${now}::timestamptz
    from due
    where t.slot = due.slot and t.id = due.id
    returning due.state as found, ${payoutColumns(db, 't')}`
  return rows.map(({ found, ...payout }) => ({
    payout,
    found,
    leasedUntilMs: leasedUntil.getTime(),
  }))
}

export async function readPayout(sql: Sql, slot: number, id: string): Promise<Payout | undefined> {
  const [payout] = await sql<Payout[]>`
    select ${payoutColumns(sql, 't')} from transactions t
    where t.slot = ${slot} and t.id = ${id} and t.kind = 'payout'`
  return payout
}

/** A payout that a rail can be asked about: it was sent, and nobody is sending it now. */
export async function readOpenPayout(
  sql: Sql,
  slot: number,
  id: string,
  nowMs: number,
): Promise<Payout | undefined> {
  const [payout] = await sql<Payout[]>`
    select ${payoutColumns(sql, 't')} from transactions t
    where t.slot = ${slot} and t.id = ${id} and t.kind = 'payout'
      and (t.state in ('submitted', 'unclear')
        or t.state = 'submitting' and t.leased_until <= ${new Date(nowMs)}::timestamptz)`
  return payout
}

/** A step that moves no money. */
export type Progress = {
  payout: Payout
  from: PayoutState
  to: PayoutState
  dueAtMs: number
  rail: string
  railTurn: number
  submits: number
  lookups: number
  providerReference: string | null
  attempt: Attempt
}

/** The last step: money, record and event in one commit. */
export type Settlement = {
  payout: Payout
  from: PayoutState
  to: 'succeeded' | 'failed'
  posting: Posting
  failureReason: string | null
  providerReference: string | null
  event: TransactionEvent
  attempt: Attempt
  /** The stored callback that brought the news, marked handled in the same commit. */
  callbackId?: string
}

export type PayoutWriter = StepWriter<Progress, Settlement>

export const createPayoutWriter = (db: Db): PayoutWriter =>
  createStepWriter<Progress, Settlement>({
    idOf: ({ payout }) => payout.id,
    writeProgress: (steps) => writeProgress(db, steps),
    writeSettlements: (steps) => writeSettlements(db, steps),
  })

const attemptedOf = (items: readonly { payout: Payout; attempt: Attempt }[]) =>
  items.map(({ payout, attempt }) => ({ slot: payout.slot, transactionId: payout.id, attempt }))

/** As exactly as a reader of ours can have seen it. */
const sentAt = (sql: Sql): Fragment => sql`date_trunc('milliseconds', t.submitted_at)`

const progressColumns: UnnestColumns<Progress> = {
  slot: ['smallint', ({ payout }) => payout.slot],
  id: ['uuid', ({ payout }) => payout.id],
  from_state: ['text', (step) => step.from],
  sent_at: ['timestamptz', ({ payout }) => payout.submittedAt],
  to_state: ['text', (step) => step.to],
  due_at: ['timestamptz', (step) => new Date(step.dueAtMs)],
  rail: ['text', (step) => step.rail],
  rail_turn: ['smallint', (step) => step.railTurn],
  submits: ['smallint', (step) => step.submits],
  lookups: ['smallint', (step) => step.lookups],
  provider_reference: ['text', (step) => step.providerReference],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
}

async function writeProgress(sql: Sql, steps: readonly Progress[]): Promise<boolean[]> {
  const rows = await sql<{ id: string }[]>`
    with attempted as (${attemptsPart(sql, attemptedOf(steps))})
    update transactions t set state = s.to_state, due_at = s.due_at, leased_until = null,
      rail = s.rail, rail_turn = s.rail_turn, submits = s.submits, lookups = s.lookups,
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      updated_at = s.at
    from (${unnest(sql, 's', steps, progressColumns)}) s
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
      and ${sentAt(sql)} is not distinct from s.sent_at
    returning t.id`
  const written = new Set(rows.map(({ id }) => id))
  return steps.map(({ payout }) => written.has(payout.id))
}

const settlementColumns: UnnestColumns<Settlement> = {
  slot: ['smallint', ({ payout }) => payout.slot],
  id: ['uuid', ({ payout }) => payout.id],
  from_state: ['text', (step) => step.from],
  sent_at: ['timestamptz', ({ payout }) => payout.submittedAt],
  to_state: ['text', (step) => step.to],
  failure_reason: ['text', (step) => step.failureReason],
  provider_reference: ['text', (step) => step.providerReference],
  callback_id: ['uuid', (step) => step.callbackId ?? null],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
}

async function writeSettlements(sql: Sql, steps: readonly Settlement[]): Promise<boolean[]> {
  const byId = new Map(steps.map((step) => [step.payout.id, step]))
  const outcomes = await postWith(
    sql,
    steps.map(({ posting }) => posting),
    (postings) => {
      const wanted = postings.map(({ transactionId }) => byId.get(transactionId)!)
      const items = unnest(sql, 's', wanted, settlementColumns)
      return {
        known: changedPart(sql, items),
        recorded: settledPart(sql, items),
        recordedTells: true,
        further: sql`
          ${toldPart(
            sql,
            wanted.map(({ event }) => event),
            new Date(wanted[0]!.attempt.atMs),
          )}
          , attempted as (${attemptsPart(sql, attemptedOf(wanted))})
          , handled as (
            update rail_callbacks c set handled_at = s.at, finding = 'applied'
            from (${items}) s join recorded r on r.transaction_id = s.id
            where c.slot = s.slot and c.id = s.callback_id
          )`,
      }
    },
  )
  return outcomes.map(({ kind }) => {
    // The money was held when the payout was accepted: that it is not there cannot be.
    if (kind === 'insufficient') throw new Error('held money of a payout is missing')
    return kind === 'recorded'
  })
}

/**
 * Those that somebody changed meanwhile. They are locked before they are judged: a change that is
 * committed while this statement waits for it is seen too.
 */
function changedPart(sql: Sql, items: Fragment): Fragment {
  return sql`
    select found.id as transaction_id from (
      select t.id, t.state, ${sentAt(sql)} as found_sent_at, s.from_state, s.sent_at
      from (${items}) s join transactions t on t.slot = s.slot and t.id = s.id
      order by t.slot, t.id for no key update of t
    ) found
    where found.state <> found.from_state or found.found_sent_at is distinct from found.sent_at`
}

function settledPart(sql: Sql, items: Fragment): Fragment {
  return sql`
    update transactions t set state = s.to_state,
      status = case s.to_state when 'succeeded' then 'successful' else 'failed' end,
      failure_reason = s.failure_reason,
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      sequence = t.sequence + 1, due_at = null, leased_until = null, updated_at = s.at
    from (${items}) s join wanted on wanted.transaction_id = s.id
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
      and ${sentAt(sql)} is not distinct from s.sent_at
    returning t.id as transaction_id, t.slot, t.account_id, t.sequence`
}
