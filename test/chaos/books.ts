import type { Db } from '../../src/db/pool.ts'

/** Everything that is written down when a run is over, as the checks want it. */
export type Books = {
  records: RecordRow[]
  rail: RailRow[]
  transfers: TransferRow[]
  events: EventRow[]
  suspense: SuspenseRow[]
  arrivals: { transactionId: string | null; amount: bigint }[]
  wallets: { accountId: string; currency: string; available: bigint; held: bigint }[]
}

export type RecordRow = {
  id: string
  accountId: string
  kind: string
  state: string
  status: string
  reference: string
  key: string | null
  method: string
  amount: bigint
  currency: string
  sequence: number
  failureReason: string | null
  isDue: boolean
}
export type RailRow = {
  key: string
  direction: string
  amount: bigint
  currency: string
  behaviour: string
  arrivals: number
  isConfirmed: boolean
}
export type TransferRow = { transactionId: string; step: string; amount: bigint; currency: string }
export type EventRow = {
  id: string
  transactionId: string
  sequence: number
  status: string
  delivery: string
}
export type SuspenseRow = { transactionId: string | null; amount: bigint; story: string }

export async function readBooks(db: Db): Promise<Books> {
  return await db.begin('isolation level repeatable read read only', async (tx) => ({
    records: await tx<RecordRow[]>`
      select id, account_id as "accountId", kind, state, status, method, amount, currency,
        external_reference as reference, idempotency_key as key, sequence,
        failure_reason as "failureReason", due_at is not null as "isDue"
      from transactions`,
    rail: await tx<RailRow[]>`
      select key, direction, amount, currency, behaviour, arrivals,
        stage is null and refused is null as "isConfirmed"
      from sandbox_rail_book`,
    transfers: await tx<TransferRow[]>`
      select transaction_id as "transactionId", step, amount, currency from transfers
      where step <> 'sandbox funds'`,
    events: await tx<EventRow[]>`
      select id, transaction_id as "transactionId", sequence, data ->> 'status' as status,
        status as delivery
      from webhooks`,
    suspense: await tx<SuspenseRow[]>`
      select transaction_id as "transactionId", amount, story from suspense_items`,
    arrivals: await tx<Books['arrivals']>`
      select v.transaction_id as "transactionId", a.amount from arrivals a
      left join virtual_accounts v on v.rail = a.rail and v.account_number = a.account_number`,
    wallets: await tx<Books['wallets']>`
      select account_id as "accountId", currency, sum(available)::bigint as available,
        sum(held)::bigint as held
      from wallets where environment = 'sandbox' group by account_id, currency`,
  }))
}

/** How many things are still to be done by somebody. */
export async function countOpen(db: Db): Promise<Record<string, number>> {
  const [row] = await db<Record<string, number>[]>`
    select (select count(*)::int from transactions where status = 'pending') as transactions,
      (select count(*)::int from webhooks where due_at is not null) as webhooks,
      (select count(*)::int from rail_callbacks where handled_at is null) as callbacks,
      (select count(*)::int from sandbox_rail_book where callbacks_left > 0) as news`
  return row!
}
