import type { Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { Posting, Transfer } from './posting.ts'

/**
 * The one statement behind every movement of money. It locks the wallets in order, sees which
 * postings are known already, sets aside those whose wallet does not cover all that is asked of
 * it, lets the caller record the others, and then moves balances and writes transfers for exactly
 * those that were recorded. One round trip and one commit for a whole batch.
 */
export type Recording = {
  /** Yields transaction_id of postings that must not go ahead again. It may read `leg`. */
  known: Fragment
  /**
   * Yields transaction_id of postings to make now. It reads `wanted` (slot, transaction_id) and
   * may insert or change the records these postings belong to.
   */
  recorded: Fragment
  /**
   * `recorded` alone tells what is known: it passes over a record that exists, or that is not in
   * the expected state. Looking first is then needed only where money is short.
   */
  recordedTells?: boolean
  /** Further parts, each beginning with a comma, that read `recorded`. */
  further?: Fragment
}

export type PostingRow =
  | { outcome: 'recorded' | 'known' | 'short'; id: string; available: null; held: null }
  | { outcome: 'wallet'; id: string; available: bigint; held: bigint }

/** The statement's name for what a wallet-touching transfer adds to a balance. */
const change = (sql: Sql, account: 'wallet' | 'held'): Fragment =>
  sql`amount * ((credit = ${account})::int - (debit = ${account})::int)`

export function postingStatement(
  sql: Sql,
  postings: readonly Posting[],
  recording: Recording,
): Promise<PostingRow[]> {
  return sql<PostingRow[]>`
    with leg as materialized (${legs(sql, postings)}),
    wallet as materialized (${lockedWallets(sql, postings)}),
    known as materialized (${recording.known}),
    ${decision(sql, tied(postings))},
    recorded as (${recording.recorded}),
    ${movement(sql)}
    ${recording.further ?? sql``}
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)`
}

/** Tries all postings on the locked balances, in order, and sets aside what is not covered. */
function decision(sql: Sql, walletsAreTied: boolean): Fragment {
  return sql`
    candidate as materialized (
      select leg.*,
        ${change(sql, 'wallet')} as available_change,
        ${change(sql, 'held')} as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where ${
        walletsAreTied
          ? sql`exists (select from trial where available_after < 0 or held_after < 0)`
          : sql`available_after < 0 or held_after < 0`
      }
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    )`
}

/** Moves the balances and writes the transfers of what was recorded. */
function movement(sql: Sql): Fragment {
  return sql`
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )`
}

/**
 * A posting over several wallets ties them together: set aside for one, it is missed in the
 * others. A batch that has one is therefore set aside whole when any of its wallets is short.
 */
function tied(postings: readonly Posting[]): boolean {
  return postings.some(
    ({ transfers }) =>
      new Set(transfers.map(({ walletId }) => walletId).filter((id) => id !== undefined)).size > 1,
  )
}

export type Leg = Transfer & Omit<Posting, 'transfers'>

export const legColumns: UnnestColumns<Leg> = {
  slot: ['smallint', (leg) => leg.slot],
  transaction_id: ['uuid', (leg) => leg.transactionId],
  step: ['text', (leg) => leg.step],
  environment: ['environment', (leg) => leg.environment],
  debit: ['text', (leg) => leg.debit],
  credit: ['text', (leg) => leg.credit],
  amount: ['bigint', (leg) => leg.amount],
  currency: ['text', (leg) => leg.currency],
  wallet_id: ['uuid', (leg) => leg.walletId ?? null],
}

function legs(sql: Sql, postings: readonly Posting[]): Fragment {
  const rows = postings.flatMap(({ transfers, ...posting }) =>
    transfers.map((transfer) => ({ ...posting, ...transfer })),
  )
  return unnest<Leg>(sql, 'leg', rows, legColumns)
}

/** Always in the same order, so that two batches never wait for each other in a circle. */
export function lockedWallets(sql: Sql, postings: readonly Posting[]): Fragment {
  const slots = new Set(postings.map(({ slot }) => slot))
  const ids = new Set<string>()
  for (const { transfers } of postings) {
    for (const { walletId } of transfers) if (walletId !== undefined) ids.add(walletId)
  }
  return sql`
    select slot, id, available, held, seq from wallets
    where slot = any(${[...slots]}::smallint[]) and id = any(${[...ids]}::uuid[])
    order by slot, id for no key update`
}
