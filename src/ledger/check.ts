import type { Db, Sql, Tx } from '../db/pool.ts'
import { isLedgerAccount } from './accounts.ts'
import { rolledUntil, sides, systemBalances } from './rollup.ts'

export type LedgerCheck = { transfers: number; wallets: number; problems: string[] }

const maxProblemsPerRule = 20

/**
 * Recomputes everything the ledger claims, from the transfers alone and in one snapshot: balances,
 * the chain of balances after each transfer, the roll-ups, and the zero sum of every currency.
 */
export function checkLedger(db: Db): Promise<LedgerCheck> {
  return db.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = 0`
    const [count] = await tx<{ transfers: number; wallets: number }[]>`
      select (select count(*) from transfers)::float8 as transfers,
        (select count(*) from wallets)::float8 as wallets`
    const rules = [walletSums, walletChains, accountNames, rollups, zeroSums]
    const problems: string[] = []
    for (const rule of rules) problems.push(...(await rule(tx)))
    return { ...count!, problems }
  }) as Promise<LedgerCheck>
}

async function walletSums(tx: Tx): Promise<string[]> {
  const rows = await tx<{ id: string; available: bigint; held: bigint; a: string; h: string }[]>`
    select w.id, w.available, w.held, coalesce(t.available, 0)::text as a,
      coalesce(t.held, 0)::text as h
    from wallets w left join (
      select slot, wallet_id, count(*) as transfers,
        sum(amount * ((credit = 'wallet')::int - (debit = 'wallet')::int)) as available,
        sum(amount * ((credit = 'held')::int - (debit = 'held')::int)) as held
      from transfers where wallet_id is not null group by slot, wallet_id
    ) t on t.slot = w.slot and t.wallet_id = w.id
    where w.available <> coalesce(t.available, 0) or w.held <> coalesce(t.held, 0)
      or w.seq <> coalesce(t.transfers, 0) or w.available < 0 or w.held < 0
    limit ${maxProblemsPerRule}`
  return rows.map(
    (row) =>
      `wallet ${row.id} says available ${row.available}, held ${row.held}; ` +
      `its transfers say available ${row.a}, held ${row.h}`,
  )
}

async function walletChains(tx: Tx): Promise<string[]> {
  const rows = await tx<{ walletId: string; walletSeq: bigint }[]>`
    select wallet_id as "walletId", wallet_seq as "walletSeq"
    from (
      select wallet_id, wallet_seq, available_after, held_after,
        amount * ((credit = 'wallet')::int - (debit = 'wallet')::int) as available_change,
        amount * ((credit = 'held')::int - (debit = 'held')::int) as held_change,
        coalesce(lag(wallet_seq) over chain, 0) as seq_before,
        coalesce(lag(available_after) over chain, 0) as available_before,
        coalesce(lag(held_after) over chain, 0) as held_before
      from transfers where wallet_id is not null
      window chain as (partition by slot, wallet_id order by wallet_seq)
    ) link
    where wallet_seq <> seq_before + 1
      or available_after <> available_before + available_change
      or held_after <> held_before + held_change
    limit ${maxProblemsPerRule}`
  return rows.map((row) => `the chain of wallet ${row.walletId} breaks at ${row.walletSeq}`)
}

async function accountNames(tx: Tx): Promise<string[]> {
  const rows = await tx<{ account: string }[]>`
    select debit as account from transfers group by debit
    union select credit from transfers group by credit`
  return rows
    .filter(({ account }) => !isLedgerAccount(account))
    .map(({ account }) => `transfers name an account outside the chart: ${account}`)
}

async function rollups(tx: Tx): Promise<string[]> {
  const until = await rolledUntil(tx)
  const rows = await tx<{ account: string; currency: string; environment: string }[]>`
    select environment, account, currency from (
      select slot, environment, account, currency, debits, credits from ledger_rollups
      union all
      select slot, environment, account, currency, -debits, -credits
      from (${sides(tx, tx`posted_at < ${until}::timestamptz`)}) side
    ) both_sides
    group by slot, environment, account, currency
    having sum(debits) <> 0 or sum(credits) <> 0
    limit ${maxProblemsPerRule}`
  return rows.map(
    (row) => `the roll-up of ${row.account} ${row.currency} (${row.environment}) is not its sum`,
  )
}

async function zeroSums(tx: Tx): Promise<string[]> {
  const totals = new Map<string, bigint>()
  const add = (environment: string, currency: string, amount: bigint) => {
    const key = `${environment} ${currency}`
    totals.set(key, (totals.get(key) ?? 0n) + amount)
  }
  for (const row of await walletTotals(tx)) {
    add(row.environment, row.currency, BigInt(row.total))
  }
  for (const row of await systemBalances(tx)) {
    add(row.environment, row.currency, row.credits - row.debits)
  }
  return [...totals]
    .filter(([, total]) => total !== 0n)
    .map(([key, total]) => `all balances of ${key} sum to ${total}, not to zero`)
}

function walletTotals(sql: Sql) {
  return sql<{ environment: string; currency: string; total: string }[]>`
    select environment, currency, sum(available + held)::text as total
    from wallets group by environment, currency`
}
