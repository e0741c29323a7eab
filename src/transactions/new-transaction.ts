import type { Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { Environment } from '../environment.ts'
import type { Method } from '../rails/rail.ts'
import type { TransactionEvent } from '../webhooks/event.ts'

/** A charge or payout that passed every rule, as it is to be recorded. */
export type NewTransaction = {
  slot: number
  id: string
  accountId: string
  environment: Environment
  kind: 'payout' | 'charge'
  state: string
  externalReference: string
  idempotency: { key: string; requestHash: Buffer } | null
  method: Method
  destination: string
  country: string
  currency: string
  amount: bigint
  walletId: string
  walletCurrency: string
  walletAmount: bigint
  fee: bigint
  exchangeRate: string | null
  beneficiaryId: string | null
  accountName: string
  accountNumber: string
  code: string | null
  branchCode: string | null
  businessNumber: string | null
  rail: string
  createdAt: Date
  /** When it wants attention first. */
  dueAt: Date
  /** Of a charge: when it fails if nobody completes it, and what it carries along. */
  deadlineAt?: Date
  details?: object
  /** 1 where whoever records it sends it at once. */
  submits?: number
  event: TransactionEvent
}

/** Why a new transaction was not recorded: something of it was used before. */
export type Earlier =
  /** It is our own record: the answer to an earlier try was lost on the way. */
  | { kind: 'accepted' }
  /** The same Idempotency-Key with the same request: the answer of that time is due again. */
  | { kind: 'replayed'; id: string }
  | { kind: 'key reused' }
  | { kind: 'reference used' }

type Keys = Pick<NewTransaction, 'slot' | 'id' | 'accountId' | 'externalReference' | 'idempotency'>

const keyColumns: UnnestColumns<Keys> = {
  slot: ['smallint', (one) => one.slot],
  id: ['uuid', (one) => one.id],
  account_id: ['uuid', (one) => one.accountId],
  external_reference: ['text', (one) => one.externalReference],
  idempotency_key: ['text', (one) => one.idempotency?.key ?? null],
}

/** Yields transaction_id of what was here before, by reference or key, each by its own index. */
export function knownPart(sql: Sql, items: readonly NewTransaction[]): Fragment {
  const keyed = items.some(({ idempotency }) => idempotency !== null)
  return sql`
    select asked.id as transaction_id from (${unnest<Keys>(sql, 'asked', items, keyColumns)}) asked
    where exists (
      select from transactions t
      where t.slot = asked.slot and t.account_id = asked.account_id
        and t.external_reference = asked.external_reference
    )
    ${
      keyed
        ? sql`or asked.idempotency_key is not null and exists (
            select from transactions t
            where t.slot = asked.slot and t.account_id = asked.account_id
              and t.idempotency_key = asked.idempotency_key
          )`
        : sql``
    }`
}

const recordColumns: UnnestColumns<NewTransaction> = {
  ...keyColumns,
  environment: ['environment', (one) => one.environment],
  kind: ['text', (one) => one.kind],
  state: ['text', (one) => one.state],
  request_hash: ['bytea', (one) => one.idempotency?.requestHash ?? null],
  method: ['text', (one) => one.method],
  destination: ['text', (one) => one.destination],
  country: ['text', (one) => one.country],
  currency: ['text', (one) => one.currency],
  amount: ['bigint', (one) => one.amount],
  wallet_id: ['uuid', (one) => one.walletId],
  wallet_currency: ['text', (one) => one.walletCurrency],
  wallet_amount: ['bigint', (one) => one.walletAmount],
  fee: ['bigint', (one) => one.fee],
  exchange_rate: ['numeric', (one) => one.exchangeRate],
  beneficiary_id: ['uuid', (one) => one.beneficiaryId],
  account_name: ['text', (one) => one.accountName],
  account_number: ['text', (one) => one.accountNumber],
  code: ['text', (one) => one.code],
  branch_code: ['text', (one) => one.branchCode],
  business_number: ['text', (one) => one.businessNumber],
  rail: ['text', (one) => one.rail],
  created_at: ['timestamptz', (one) => one.createdAt],
  due_at: ['timestamptz', (one) => one.dueAt],
  deadline_at: ['timestamptz', (one) => one.deadlineAt ?? null],
  details: ['jsonb', (one) => (one.details ? JSON.stringify(one.details) : null)],
  submits: ['smallint', (one) => one.submits ?? 0],
}

const recordNames = Object.keys(recordColumns)

/** Inserts those of the items that are in `wanted`, and yields what an event needs of each. */
export function recordedPart(sql: Sql, items: readonly NewTransaction[]): Fragment {
  return sql`
    ${insertedPart(sql, items)}
    join wanted on wanted.transaction_id = asked.id
    order by asked.n
    on conflict do nothing
    ${returned(sql)}`
}

/** Inserts all of the items, or fails. */
export function allRecordedPart(sql: Sql, items: readonly NewTransaction[]): Fragment {
  return sql`${insertedPart(sql, items)} ${returned(sql)}`
}

const insertedPart = (sql: Sql, items: readonly NewTransaction[]): Fragment => sql`
  insert into transactions (status, updated_at, ${sql.unsafe(recordNames.join(', '))})
  select 'pending', asked.created_at,
    ${sql.unsafe(recordNames.map((name) => `asked.${name}`).join(', '))}
  from (${unnest(sql, 'asked', items, recordColumns)}) asked`

const returned = (sql: Sql): Fragment =>
  sql.unsafe('returning id as transaction_id, slot, account_id, sequence')

type EarlierRow = { asked: string; found: string; key: string | null; hash: Buffer | null }

/** Why each item was known: a repeat after a lost connection finds its own record. */
export async function findEarlier(
  sql: Sql,
  items: readonly NewTransaction[],
): Promise<Map<string, Earlier>> {
  if (items.length === 0) return new Map()
  const rows = await sql<EarlierRow[]>`
    select asked.id as asked, t.id as found, t.idempotency_key as key, t.request_hash as hash
    from (${unnest<Keys>(sql, 'asked', items, keyColumns)}) asked
    join transactions t on t.slot = asked.slot and t.account_id = asked.account_id
      and (t.external_reference = asked.external_reference
        or t.idempotency_key = asked.idempotency_key)`
  return new Map(
    items.map((item) => [
      item.id,
      earlierOf(
        item,
        rows.filter(({ asked }) => asked === item.id),
      ),
    ]),
  )
}

function earlierOf({ id, idempotency }: NewTransaction, rows: readonly EarlierRow[]): Earlier {
  if (rows.some(({ found }) => found === id)) return { kind: 'accepted' }
  const keyed = idempotency ? rows.find(({ key }) => key === idempotency.key) : undefined
  if (!keyed) return { kind: 'reference used' }
  return keyed.hash?.equals(idempotency!.requestHash)
    ? { kind: 'replayed', id: keyed.found }
    : { kind: 'key reused' }
}

/** Whether a charge or payout of the account has the reference already. */
export async function isReferenceUsed(
  sql: Sql,
  owner: { slot: number; accountId: string },
  externalReference: string,
): Promise<boolean> {
  const rows = await sql`
    select 1 from transactions
    where slot = ${owner.slot} and account_id = ${owner.accountId}
      and external_reference = ${externalReference}`
  return rows.length > 0
}
