import { eachRow } from '../db/pages.ts'
import type { Sql } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import type { LedgerAccount } from './accounts.ts'
import type { Wallet } from './wallets.ts'

/** One line of a statement: what a transfer did to the account, and the balance after it. */
export type StatementLine = {
  postedAt: Date
  transactionId: string
  step: string
  /** The account on the other side. */
  counterpart: LedgerAccount
  change: bigint
  balance: bigint
}

type WalletRow = {
  postedAt: Date
  transactionId: string
  step: string
  debit: LedgerAccount
  credit: LedgerAccount
  amount: bigint
  after: bigint
  walletSeq: bigint
}

/** Oldest first, streamed page by page: a wallet may have millions of transfers. */
export async function* walletStatement(
  sql: Sql,
  wallet: Pick<Wallet, 'slot' | 'id'>,
  account: 'wallet' | 'held',
): AsyncGenerator<StatementLine> {
  const after = account === 'wallet' ? sql`available_after` : sql`held_after`
  const fetchPage = (afterSeq: bigint | undefined, limit: number) =>
    sql<WalletRow[]>`
      select posted_at as "postedAt", transaction_id as "transactionId", step, debit, credit,
        amount, ${after} as after, wallet_seq as "walletSeq"
      from transfers
      where slot = ${wallet.slot} and wallet_id = ${wallet.id}
        and wallet_seq > ${afterSeq ?? 0n}
      order by wallet_seq limit ${limit}`
  for await (const row of eachRow(fetchPage, ({ walletSeq }) => walletSeq)) {
    if (row.debit !== account && row.credit !== account) continue
    yield lineOf(row, account, row.after)
  }
}

type SystemRow = Omit<WalletRow, 'after' | 'walletSeq'> & { slot: number; postedText: string }

/** The same for an account of the house; its balance is counted up as the lines go by. */
export async function* systemStatement(
  sql: Sql,
  account: LedgerAccount,
  scope: { environment: Environment; currency: string },
): AsyncGenerator<StatementLine> {
  const fetchPage = (last: SystemRow | undefined, limit: number) =>
    sql<SystemRow[]>`
      select posted_at as "postedAt", posted_at::text as "postedText", slot,
        transaction_id as "transactionId", step, debit, credit, amount
      from transfers
      where environment = ${scope.environment} and currency = ${scope.currency}
        and (debit = ${account} or credit = ${account})
        ${
          last
            ? sql`and (posted_at, slot, transaction_id, step) >
                (${last.postedText}::timestamptz, ${last.slot}::smallint, ${last.transactionId},
                  ${last.step})`
            : sql``
        }
      order by posted_at, slot, transaction_id, step limit ${limit}`
  let balance = 0n
  for await (const row of eachRow(fetchPage, (row) => row)) {
    const line = lineOf(row, account, 0n)
    balance += line.change
    yield { ...line, balance }
  }
}

function lineOf(
  row: Omit<WalletRow, 'after' | 'walletSeq'>,
  account: LedgerAccount,
  balance: bigint,
): StatementLine {
  const incoming = row.credit === account
  return {
    postedAt: row.postedAt,
    transactionId: row.transactionId,
    step: row.step,
    counterpart: incoming ? row.debit : row.credit,
    change: incoming ? row.amount : -row.amount,
    balance,
  }
}
