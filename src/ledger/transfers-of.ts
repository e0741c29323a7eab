import type { Sql } from '../db/pool.ts'
import type { LedgerAccount } from './accounts.ts'

/** A transfer as it was posted, with the balances after it where it touched a wallet. */
export type PostedTransfer = {
  step: string
  debit: LedgerAccount
  credit: LedgerAccount
  amount: bigint
  currency: string
  postedAt: Date
  availableAfter: bigint | null
  heldAfter: bigint | null
}

/** Those of one transaction, in the order they were posted; a transaction has a handful. */
export function transfersOf(
  sql: Sql,
  slot: number,
  transactionId: string,
): Promise<PostedTransfer[]> {
  return sql<PostedTransfer[]>`
    select step, debit, credit, amount, currency, posted_at as "postedAt",
      available_after as "availableAfter", held_after as "heldAfter"
    from transfers where slot = ${slot} and transaction_id = ${transactionId}
    order by posted_at, wallet_seq nulls last, step limit 100`
}
