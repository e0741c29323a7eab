import type { Sql } from '../db/pool.ts'
import { type Owner, walletsOf } from './wallets.ts'

/** What flowed out of and into an account of the ledger, as far as one merchant account did it. */
export type AccountSum = { account: string; currency: string; debits: bigint; credits: bigint }

/** So many transfers are added up by one statement. */
const transfersAtOnce = 100_000n

/**
 * The trial balance of one account's own transfers; each currency sums to zero. The transfers of a
 * wallet are numbered without gaps in the order of their commits, so what is summed once is kept
 * up to a number and never read again.
 */
export async function accountSums(sql: Sql, owner: Owner): Promise<AccountSum[]> {
  const total = createTotal()
  for (const { id } of await walletsOf(sql, owner)) total.add(await walletSums(sql, owner, id))
  total.add(await suspenseSums(sql, owner))
  return total.sums()
}

type SumRow = { account: string; currency: string; debits: string; credits: string }

async function walletSums(sql: Sql, { slot }: Owner, walletId: string): Promise<SumRow[]> {
  const [kept] = await sql<{ seq: bigint; sums: SumRow[] }[]>`
    select seq, sums from wallet_sums where slot = ${slot} and wallet_id = ${walletId}`
  const total = createTotal()
  total.add(kept?.sums ?? [])
  let seq = kept?.seq ?? 0n
  for (;;) {
    const [end] = await sql<{ seq: bigint }[]>`
      select seq from wallets where slot = ${slot} and id = ${walletId}`
    const until = end!.seq < seq + transfersAtOnce ? end!.seq : seq + transfersAtOnce
    if (until === seq) return total.rows()
    total.add(await sumTransfers(sql, slot, walletId, seq, until))
    // Whoever was slower has counted less: a number that is smaller does not replace one.
    await sql`
      insert into wallet_sums as kept (slot, wallet_id, seq, sums)
      values (${slot}, ${walletId}, ${until}, ${sql.json(total.rows())})
      on conflict (slot, wallet_id) do update set seq = excluded.seq, sums = excluded.sums
      where kept.seq < excluded.seq`
    seq = until
  }
}

/**
 * Both sides of the transfers of a wallet after a number and up to another. A conversion has one
 * leg in the wallet; its other leg, which touches no wallet, is counted along with it.
 */
export function sumTransfers(
  sql: Sql,
  slot: number,
  walletId: string,
  after: bigint,
  until: bigint,
) {
  return sql<SumRow[]>`
    with own as (
      select transaction_id, debit, credit, amount, currency from transfers
      where slot = ${slot} and wallet_id = ${walletId}
        and wallet_seq > ${after} and wallet_seq <= ${until}
    ),
    moved as (
      select debit, credit, amount, currency from own
      union all
      select far.debit, far.credit, far.amount, far.currency
      from own join transfers far
        on far.slot = ${slot} and far.transaction_id = own.transaction_id
        and far.wallet_id is null and 'fx' in (far.debit, far.credit)
      where own.debit = 'fx' or own.credit = 'fx'
    )
    select account, currency, sum(debits)::text as debits, sum(credits)::text as credits
    from (
      select debit as account, currency, amount as debits, 0 as credits from moved
      union all
      select credit, currency, 0, amount from moved
    ) sides
    group by account, currency`
}

/** Money of the account that arrived without a home; what was credited is in a wallet's sums. */
function suspenseSums(sql: Sql, { accountId }: Owner): Promise<SumRow[]> {
  return sql<SumRow[]>`
    with moved as (
      select f.debit, f.credit, f.amount, f.currency
      from suspense_items s
      join transfers f on f.slot = s.slot and f.transaction_id = s.id and f.wallet_id is null
      where s.account_id = ${accountId} and 'suspense' in (f.debit, f.credit)
    )
    select account, currency, sum(debits)::text as debits, sum(credits)::text as credits
    from (
      select debit as account, currency, amount as debits, 0 as credits from moved
      union all
      select credit, currency, 0, amount from moved
    ) sides
    group by account, currency`
}

function createTotal() {
  const sums = new Map<string, AccountSum>()
  return {
    add(rows: readonly SumRow[]): void {
      for (const { account, currency, debits, credits } of rows) {
        const key = `${currency} ${account}`
        const sum = sums.get(key) ?? { account, currency, debits: 0n, credits: 0n }
        sum.debits += BigInt(debits)
        sum.credits += BigInt(credits)
        sums.set(key, sum)
      }
    },
    sums: (): AccountSum[] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    rows: (): SumRow[] =>
      [...sums.values()].map(({ debits, credits, ...rest }) => ({
        ...rest,
        debits: String(debits),
        credits: String(credits),
      })),
  }
}
