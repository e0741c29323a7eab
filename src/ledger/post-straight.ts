import { isCheckViolation, isUniqueViolation } from '../db/faults.ts'
import type { Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { assertPosting, changeOf, type Posting } from './posting.ts'
import { type Leg, legColumns, lockedWallets } from './statement-sql.ts'

/** The records these postings belong to, each a part of the statement, inserted as they are. */
export type StraightRecording = {
  recorded: Fragment
  /** Further parts, each beginning with a comma, that read `recorded`. */
  further?: Fragment
}

/**
 * Posts a batch of which all is expected to be new and covered, as almost all are. It looks at
 * nothing first: the keys and checks of the database refuse the whole batch where one of it is
 * known or short, and then nothing has happened. Says whether it was posted.
 */
export async function postStraight(
  sql: Sql,
  postings: readonly Posting[],
  { recorded, further = sql`` }: StraightRecording,
): Promise<boolean> {
  for (const posting of postings) assertPosting(posting)
  const { legs, totals } = runningSums(postings)
  try {
    await sql`
      with wallet as materialized (${lockedWallets(sql, postings)}),
      recorded as (${recorded}),
      posted as (
        insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
          currency, wallet_id, wallet_seq, available_after, held_after)
        select leg.slot, leg.transaction_id, leg.step, leg.environment, leg.debit, leg.credit,
          leg.amount, leg.currency, leg.wallet_id, w.seq + leg.seq, w.available + leg.available,
          w.held + leg.held
        from (${unnest(sql, 'leg', legs, runningColumns)}) leg
        left join wallet w on w.slot = leg.slot and w.id = leg.wallet_id
      ),
      moved as (
        -- From the balances as they were locked, as in the other statement.
        update wallets w set available = l.available + t.available, held = l.held + t.held,
          seq = l.seq + t.seq
        from (${unnest(sql, 't', totals, totalColumns)}) t
        join wallet l on l.slot = t.slot and l.id = t.wallet_id
        where w.slot = l.slot and w.id = l.id
      )
      ${further}
      select 1`
    return true
  } catch (error) {
    if (isUniqueViolation(error) || isCheckViolation(error)) return false
    throw error
  }
}

/** What the batch has done to a wallet so far. */
type Sums = { seq: number; available: bigint; held: bigint }
type Total = Sums & { slot: number; walletId: string }

const sumColumns: UnnestColumns<Sums> = {
  seq: ['bigint', ({ seq }) => seq],
  available: ['bigint', ({ available }) => available],
  held: ['bigint', ({ held }) => held],
}
const runningColumns: UnnestColumns<Leg & Sums> = { ...legColumns, ...sumColumns }
const totalColumns: UnnestColumns<Total> = {
  slot: ['smallint', ({ slot }) => slot],
  wallet_id: ['uuid', ({ walletId }) => walletId],
  ...sumColumns,
}

const nothing: Sums = { seq: 0, available: 0n, held: 0n }

/** Each transfer with the sums up to it, and the sums of each wallet at the end. */
function runningSums(postings: readonly Posting[]): { legs: (Leg & Sums)[]; totals: Total[] } {
  const totals = new Map<string, Total>()
  const legs = postings.flatMap(({ transfers, slot, transactionId, environment }) =>
    transfers.map((transfer) => {
      const { walletId } = transfer
      const leg = { ...transfer, slot, transactionId, environment }
      if (walletId === undefined) return { ...leg, ...nothing }
      const before = totals.get(walletId) ?? nothing
      const change = changeOf(transfer)
      const seq = before.seq + 1
      const available = before.available + change.available
      const held = before.held + change.held
      totals.set(walletId, { slot, walletId, seq, available, held })
      return { ...leg, seq, available, held }
    }),
  )
  return { legs, totals: [...totals.values()] }
}
