import type { Db, Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { slotOf } from '../ids.ts'
import { postWith } from '../ledger/post.ts'
import type { Posting } from '../ledger/posting.ts'
import type { ChargeStep } from '../rails/rail.ts'
import { type Attempt, attemptsPart } from '../transactions/attempts.ts'
import { createStepWriter, type StepWriter } from '../transactions/step-writer.ts'
import { type TransactionEvent, toldPart } from '../webhooks/event.ts'
import type { Charge, ChargeState } from './charge.ts'

/** The only writer of a charge's state. Every change names the state it expects to find. */

export const chargeColumns = (sql: Sql, alias: string): Fragment =>
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
      'exchange_rate as "exchangeRate"',
      ...['wallet_id as "walletId"', 'wallet_currency as "walletCurrency"', 'code', 'rail'],
      ...['wallet_amount as "walletAmount"', 'submits', 'lookups', 'details'],
      ...['account_number as "accountNumber"', 'provider_reference as "providerReference"'],
      ...['step_required as "stepRequired"', 'redirect_url as "redirectUrl"'],
      ...['wrong_values as "wrongValues"', 'submitted_at as "submittedAt"'],
      ...['deadline_at as "deadlineAt"', 'created_at as "createdAt"'],
    ]
      .map((column) => `${alias}.${column}`)
      .join(', '),
  )

export type Claimed = { charge: Charge; found: ChargeState; leasedUntilMs: number }

/** Takes due charges for the time of a lease; those not sent yet become `submitting` with it. */
export async function claimDue(
  db: Db,
  { nowMs, leaseMs, limit }: { nowMs: number; leaseMs: number; limit: number },
): Promise<Claimed[]> {
  const now = new Date(nowMs)
  const leasedUntil = new Date(nowMs + leaseMs)
  const isNew = db`t.state = 'accepted' and t.deadline_at > ${now}::timestamptz`
  const rows = await db<(Charge & { found: ChargeState })[]>`
    update transactions t set
      due_at = ${leasedUntil}::timestamptz,
      leased_until = ${leasedUntil}::timestamptz,
      state = case when ${isNew} then 'submitting' else t.state end,
      submits = t.submits + (${isNew})::int,
      submitted_at = case when ${isNew} then ${now}::timestamptz else t.submitted_at end,
      updated_at = ${now}::timestamptz
    from (
      select slot, id, state from transactions
      where due_at <= ${now}::timestamptz and kind = 'charge'
      order by due_at limit ${limit} for update skip locked
    ) due
    where t.slot = due.slot and t.id = due.id
    returning due.state as found, ${chargeColumns(db, 't')}`
  return rows.map(({ found, ...charge }) => ({
    charge,
    found,
    leasedUntilMs: leasedUntil.getTime(),
  }))
}

export async function readCharge(sql: Sql, slot: number, id: string): Promise<Charge | undefined> {
  const [charge] = await sql<Charge[]>`
    select ${chargeColumns(sql, 't')} from transactions t
    where t.slot = ${slot} and t.id = ${id} and t.kind = 'charge'`
  return charge
}

/** A step that moves no money. An event tells of it where it changes what the customer must do. */
export type Progress = {
  charge: Charge
  from: ChargeState
  to: ChargeState
  dueAtMs: number
  submits: number
  lookups: number
  providerReference: string | null
  stepRequired: ChargeStep | null
  redirectUrl: string | null
  wrongValues: number
  attempt: Attempt
  event: TransactionEvent | null
}

/** The last step: money, record and event in one commit. */
export type Settlement = {
  charge: Charge
  from: ChargeState
  to: 'succeeded' | 'failed'
  /** A failure moves nothing. */
  posting: Posting | null
  walletAmount: bigint
  fee: bigint
  exchangeRate: string | null
  failureReason: string | null
  providerReference: string | null
  wrongValues: number
  event: TransactionEvent
  attempt: Attempt
  callbackId?: string
}

export type ChargeWriter = StepWriter<Progress, Settlement>

export const createChargeWriter = (db: Db): ChargeWriter =>
  createStepWriter<Progress, Settlement>({
    idOf: ({ charge }) => charge.id,
    writeProgress: (steps) => writeProgress(db, steps),
    writeSettlements: (steps) => writeSettlements(db, steps),
  })

const attemptedOf = (items: readonly { charge: Charge; attempt: Attempt }[]) =>
  items.map(({ charge, attempt }) => ({ slot: charge.slot, transactionId: charge.id, attempt }))

const progressColumns: UnnestColumns<Progress> = {
  slot: ['smallint', ({ charge }) => charge.slot],
  id: ['uuid', ({ charge }) => charge.id],
  from_state: ['text', (step) => step.from],
  to_state: ['text', (step) => step.to],
  due_at: ['timestamptz', (step) => new Date(step.dueAtMs)],
  submits: ['smallint', (step) => step.submits],
  lookups: ['smallint', (step) => step.lookups],
  provider_reference: ['text', (step) => step.providerReference],
  step_before: ['text', ({ charge }) => charge.stepRequired],
  step_required: ['text', (step) => step.stepRequired],
  redirect_url: ['text', (step) => step.redirectUrl],
  wrong_before: ['smallint', ({ charge }) => charge.wrongValues],
  wrong_values: ['smallint', (step) => step.wrongValues],
  tells: ['boolean', (step) => step.event !== null],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
}

async function writeProgress(sql: Sql, steps: readonly Progress[]): Promise<boolean[]> {
  const events = steps.flatMap(({ event }) => (event === null ? [] : [event]))
  const rows = await sql<{ id: string }[]>`
    with attempted as (${attemptsPart(sql, attemptedOf(steps))}),
    recorded as (
      update transactions t set state = s.to_state, due_at = s.due_at, leased_until = null,
        submits = s.submits, lookups = s.lookups,
        provider_reference = coalesce(s.provider_reference, t.provider_reference),
        step_required = s.step_required, redirect_url = s.redirect_url,
        wrong_values = s.wrong_values, sequence = t.sequence + s.tells::int, updated_at = s.at
      from (${unnest(sql, 's', steps, progressColumns)}) s
      where t.slot = s.slot and t.id = s.id and t.state = s.from_state
        and t.wrong_values = s.wrong_before and t.step_required is not distinct from s.step_before
      returning t.id as transaction_id, t.slot, t.account_id, t.sequence
    )
    ${toldPart(sql, events, new Date(steps[0]!.attempt.atMs))}
    select transaction_id as id from recorded`
  const written = new Set(rows.map(({ id }) => id))
  return steps.map(({ charge }) => written.has(charge.id))
}

const settlementColumns: UnnestColumns<Settlement> = {
  slot: ['smallint', ({ charge }) => charge.slot],
  id: ['uuid', ({ charge }) => charge.id],
  from_state: ['text', (step) => step.from],
  to_state: ['text', (step) => step.to],
  wallet_amount: ['bigint', (step) => step.walletAmount],
  fee: ['bigint', (step) => step.fee],
  exchange_rate: ['numeric', (step) => step.exchangeRate],
  failure_reason: ['text', (step) => step.failureReason],
  provider_reference: ['text', (step) => step.providerReference],
  wrong_values: ['smallint', (step) => step.wrongValues],
  // News about money that came into an account is stored under another slot than the charge.
  callback_slot: ['smallint', ({ callbackId }) => (callbackId ? slotOf(callbackId)! : null)],
  callback_id: ['uuid', (step) => step.callbackId ?? null],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
}

async function writeSettlements(sql: Sql, steps: readonly Settlement[]): Promise<boolean[]> {
  const paying = steps.filter(({ posting }) => posting !== null)
  const failing = steps.filter(({ posting }) => posting === null)
  const written = new Set<string>()
  if (failing.length > 0) {
    const rows = await sql<{ id: string }[]>`
      with wanted as (
        select id as transaction_id
        from (${unnest(sql, 's', failing, settlementColumns)}) s
      ),
      recorded as (${settledPart(sql, failing)})
      ${furtherPart(sql, failing)}
      select transaction_id as id from recorded`
    for (const { id } of rows) written.add(id)
  }
  if (paying.length > 0) for (const id of await writePaying(sql, paying)) written.add(id)
  return steps.map(({ charge }) => written.has(charge.id))
}

async function writePaying(sql: Sql, steps: readonly Settlement[]): Promise<string[]> {
  const byId = new Map(steps.map((step) => [step.charge.id, step]))
  const outcomes = await postWith(
    sql,
    steps.map(({ posting }) => posting!),
    (postings) => {
      const wanted = postings.map(({ transactionId }) => byId.get(transactionId)!)
      return {
        known: changedPart(sql, wanted),
        recorded: settledPart(sql, wanted),
        recordedTells: true,
        further: furtherPart(sql, wanted),
      }
    },
  )
  return steps
    .filter((_, index) => outcomes[index]!.kind === 'recorded')
    .map(({ charge }) => charge.id)
}

/**
 * The charges somebody else has changed meanwhile. They are locked first, so that a change that
 * is committed while this statement waits for it is seen too.
 */
function changedPart(sql: Sql, steps: readonly Settlement[]): Fragment {
  return sql`
    select found.id as transaction_id from (
      select t.id, t.state, s.from_state
      from (${unnest(sql, 's', steps, settlementColumns)}) s
      join transactions t on t.slot = s.slot and t.id = s.id
      order by t.slot, t.id for no key update of t
    ) found
    where found.state <> found.from_state`
}

function settledPart(sql: Sql, steps: readonly Settlement[]): Fragment {
  return sql`
    update transactions t set state = s.to_state,
      status = case s.to_state when 'succeeded' then 'successful' else 'failed' end,
      wallet_amount = s.wallet_amount, fee = s.fee, exchange_rate = s.exchange_rate,
      failure_reason = s.failure_reason, step_required = null, redirect_url = null,
      wrong_values = greatest(t.wrong_values, s.wrong_values),
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      sequence = t.sequence + 1, due_at = null, leased_until = null, updated_at = s.at
    from (${unnest(sql, 's', steps, settlementColumns)}) s
    join wanted on wanted.transaction_id = s.id
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
    returning t.id as transaction_id, t.slot, t.account_id, t.sequence`
}

function furtherPart(sql: Sql, steps: readonly Settlement[]): Fragment {
  const events = steps.map(({ event }) => event)
  return sql`
    ${toldPart(sql, events, new Date(steps[0]!.attempt.atMs))}
    , attempted as (${attemptsPart(sql, attemptedOf(steps))})
    , handled as (
      update rail_callbacks c set handled_at = s.at, finding = 'applied'
      from (${unnest(sql, 's', steps, settlementColumns)}) s
      join recorded r on r.transaction_id = s.id
      where c.slot = s.callback_slot and c.id = s.callback_id
    )`
}
