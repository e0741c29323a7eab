import type { Db, Sql } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { systemBalances } from './rollup.ts'

/** All balances of one currency in one environment. Their sum is zero where the ledger is right. */
export type TrialBalance = {
  environment: Environment
  currency: string
  accounts: { account: string; balance: bigint }[]
  sum: bigint
}

type Entry = { environment: Environment; currency: string; account: string; balance: bigint }

/** In one snapshot, so that a payment in between cannot make the sum look wrong. */
export function trialBalance(db: Db): Promise<TrialBalance[]> {
  return db.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = 0`
    const house = (await systemBalances(tx)).map(({ debits, credits, ...rest }) => ({
      ...rest,
      balance: credits - debits,
    }))
    return grouped([...(await walletEntries(tx)), ...house])
  }) as Promise<TrialBalance[]>
}

async function walletEntries(sql: Sql): Promise<Entry[]> {
  const rows = await sql<
    { environment: Environment; currency: string; available: string; held: string }[]
  >`
    select environment, currency, sum(available)::text as available, sum(held)::text as held
    from wallets group by environment, currency`
  return rows.flatMap(({ environment, currency, available, held }) => [
    { environment, currency, account: 'wallet', balance: BigInt(available) },
    { environment, currency, account: 'held', balance: BigInt(held) },
  ])
}

function grouped(entries: Entry[]): TrialBalance[] {
  const groups = Map.groupBy(entries, (entry) => `${entry.environment} ${entry.currency}`)
  return [...groups.values()]
    .map((group) => ({
      environment: group[0]!.environment,
      currency: group[0]!.currency,
      accounts: group.map(({ account, balance }) => ({ account, balance })),
      sum: group.reduce((sum, { balance }) => sum + balance, 0n),
    }))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

function orderOf({ environment, currency }: TrialBalance): string {
  return `${environment === 'live' ? 0 : 1} ${currency}`
}
