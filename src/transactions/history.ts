import type { Sql } from '../db/pool.ts'
import { type PostedTransfer, transfersOf } from '../ledger/transfers-of.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Attempt } from './attempts.ts'
import type { TransactionRow } from './row.ts'

export type AttemptRow = Omit<Attempt, 'id' | 'atMs'> & { at: Date }

export type CallbackRow = {
  at: Date
  rail: string
  outcome: string
  said: string
  finding: string | null
}

export type VirtualAccountRow = {
  accountNumber: string
  bankName: string
  note: string
  createdAt: Date
  expiresAt: Date
}

export type SuspenseRow = {
  id: string
  at: Date
  amount: bigint
  currency: string
  story: string
  state: 'open' | 'credited' | 'returned'
  resolvedAt: Date | null
}

/** Everything on record about a transaction, but for what its merchant was told. */
export type History = {
  attempts: AttemptRow[]
  callbacks: CallbackRow[]
  transfers: PostedTransfer[]
  virtualAccount: VirtualAccountRow | undefined
  suspense: SuspenseRow[]
  /** Where the rail gave a payout back: the record of it. */
  reversal: { id: string; at: Date } | undefined
}

/** A record that is asked about for weeks has many; the first and the last of them tell enough. */
const maxEach = 200

/** To be called with a transaction of the owner: what belongs to it is found by its id. */
export async function readHistory(
  sql: Sql,
  owner: Owner,
  { id }: Pick<TransactionRow, 'id'>,
): Promise<History> {
  const { slot, accountId } = owner
  const [attempts, callbacks, transfers, [virtualAccount], suspense, [reversal]] =
    await Promise.all([
      sql<AttemptRow[]>`
        (select rail, action, outcome, said, duration_ms as "durationMs", at from rail_attempts
          where slot = ${slot} and transaction_id = ${id} order by id limit ${maxEach})
        union
        (select rail, action, outcome, said, duration_ms, at from rail_attempts
          where slot = ${slot} and transaction_id = ${id} order by id desc limit ${maxEach})`,
      sql<CallbackRow[]>`
        select received_at as at, rail, outcome, said, finding from rail_callbacks
        where slot = ${slot} and transaction_id = ${id} order by id limit ${maxEach}`,
      transfersOf(sql, slot, id),
      sql<VirtualAccountRow[]>`
        select account_number as "accountNumber", bank_name as "bankName", note,
          created_at as "createdAt", expires_at as "expiresAt"
        from virtual_accounts where slot = ${slot} and transaction_id = ${id}`,
      sql<SuspenseRow[]>`
        select id, created_at as at, amount, currency, story, state, resolved_at as "resolvedAt"
        from suspense_items where account_id = ${accountId} and transaction_id = ${id}
        order by id limit ${maxEach}`,
      sql<{ id: string; at: Date }[]>`
        select id, created_at as at from transactions
        where slot = ${slot} and account_id = ${accountId}
          and external_reference = ${`reversal-${id}`} and linked_id = ${id}`,
    ])
  return { attempts, callbacks, transfers, virtualAccount, suspense, reversal }
}
