import type { Db, Fragment, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Environment } from '../environment.ts'
import type { LedgerAccount } from './accounts.ts'

/** An account of the house: what flowed out of it, into it, and what remains. */
export type SystemBalance = {
  environment: Environment
  account: LedgerAccount
  currency: string
  debits: bigint
  credits: bigint
}

/** Younger rows may still be on their way to a commit. */
const settleMs = 60_000

/**
 * Adds what was posted since the last roll-up. It goes no further than the start of the oldest
 * transaction still running, so a row that commits late is never passed over.
 */
export async function rollUp(db: Db, minAgeMs = settleMs): Promise<{ until: Date }> {
  return transaction(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('malipo ledger rollup'))`
    const since = await rolledUntil(tx)
    const [row] = await tx<{ until: string }[]>`
      select least(
        now() - ${minAgeMs} * interval '1 millisecond',
        (select min(xact_start) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid())
      )::text as until`
    const until = row!.until
    const window = tx`
      posted_at >= ${since}::timestamptz and posted_at < ${until}::timestamptz`
    await tx`
      insert into ledger_rollups (slot, environment, account, currency, debits, credits)
      select slot, environment, account, currency, sum(debits), sum(credits)
      from (${sides(tx, window)}) side
      group by slot, environment, account, currency
      on conflict (slot, environment, account, currency) do update
      set debits = ledger_rollups.debits + excluded.debits,
        credits = ledger_rollups.credits + excluded.credits`
    await tx`
      insert into settings (name, value)
      values ('ledger_rollup', jsonb_build_object(
        'until', greatest(${since}::timestamptz, ${until}::timestamptz)::text))
      on conflict (name) do update set value = excluded.value, updated_at = now()`
    return { until: new Date(until) }
  })
}

/** The balances of the house now: what was rolled up, and what came since. */
export async function systemBalances(sql: Sql): Promise<SystemBalance[]> {
  const since = await rolledUntil(sql)
  const rows = await sql<(Omit<SystemBalance, 'debits' | 'credits'> & Sums)[]>`
    select environment, account, currency, sum(debits)::text as debits,
      sum(credits)::text as credits
    from (
      select environment, account, currency, debits, credits from ledger_rollups
      union all
      select environment, account, currency, debits, credits
      from (${sides(sql, sql`posted_at >= ${since}::timestamptz`)}) side
    ) everything
    group by environment, account, currency
    order by environment, account, currency`
  return rows.map((row) => ({ ...row, debits: BigInt(row.debits), credits: BigInt(row.credits) }))
}

type Sums = { debits: string; credits: string }

/** As text: a Date would know only milliseconds of it. */
export async function rolledUntil(sql: Sql): Promise<string> {
  const [row] = await sql<{ until: string }[]>`
    select value ->> 'until' as until from settings where name = 'ledger_rollup'`
  return row?.until ?? '-infinity'
}

/** Both sides of every transfer, as far as they fall on accounts of the house. */
export function sides(sql: Sql, where: Fragment): Fragment {
  return sql`
    select slot, environment, debit as account, currency, amount as debits, 0 as credits
    from transfers where debit not in ('wallet', 'held') and ${where}
    union all
    select slot, environment, credit, currency, 0, amount
    from transfers where credit not in ('wallet', 'held') and ${where}`
}
