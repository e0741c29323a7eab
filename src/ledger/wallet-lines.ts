import type { Sql } from '../db/pool.ts'
import { changeOf } from './posting.ts'
import type { PostedTransfer } from './transfers-of.ts'
import type { Wallet } from './wallets.ts'

/** A transfer that touched a wallet, with what it did to both of its balances. */
export type WalletLine = PostedTransfer & {
  seq: bigint
  transactionId: string
  availableAfter: bigint
  heldAfter: bigint
  availableChange: bigint
  heldChange: bigint
}

export const maxWalletLines = 1_000

type Row = Omit<WalletLine, 'availableChange' | 'heldChange'>

/** One page of a statement, newest or oldest first. The numbers of a wallet have no gap. */
export async function walletLines(
  sql: Sql,
  { slot, id }: Pick<Wallet, 'slot' | 'id'>,
  page: { after?: bigint | undefined; limit: number; newestFirst: boolean },
): Promise<WalletLine[]> {
  const { after, limit, newestFirst } = page
  const [from, to] = newestFirst
    ? [after === undefined ? undefined : after - BigInt(limit), after]
    : [(after ?? 0n) + 1n, (after ?? 0n) + BigInt(limit) + 1n]
  const rows = await sql<Row[]>`
    select wallet_seq as seq, transaction_id as "transactionId", step, debit, credit, amount,
      currency, posted_at as "postedAt", available_after as "availableAfter",
      held_after as "heldAfter"
    from transfers
    where slot = ${slot} and wallet_id = ${id} and wallet_seq >= ${from ?? 0n}
      and wallet_seq < ${to ?? 2n ** 62n}
    order by wallet_seq ${newestFirst ? sql`desc` : sql``} limit ${limit}`
  return rows.map((row) => {
    const { available, held } = changeOf(row)
    return { ...row, availableChange: available, heldChange: held }
  })
}
