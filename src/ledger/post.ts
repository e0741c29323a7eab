import type { Sql } from '../db/pool.ts'
import { type Balance, fitPostings } from './fit.ts'
import { assertPosting, type Posting } from './posting.ts'
import { type PostingRow, postingStatement, type Recording } from './statement-sql.ts'

export type PostingOutcome =
  | { kind: 'recorded' }
  | { kind: 'known' }
  | { kind: 'insufficient'; walletId: string }

const roundsBeforeSingles = 3

/**
 * Posts a batch. The common case is one statement: every wallet covers all that is asked of it.
 * Where one does not, its postings are decided here one after another, and those that fit are
 * posted in a second statement.
 */
export async function postWith(
  sql: Sql,
  postings: readonly Posting[],
  recordingOf: (postings: readonly Posting[]) => Recording,
): Promise<PostingOutcome[]> {
  for (const posting of postings) assertPosting(posting)
  const outcomes = new Map<string, PostingOutcome>()
  let pending = postings
  for (let round = 0; pending.length > 0; round++) {
    if (round >= roundsBeforeSingles && pending.length > 1) {
      // Others keep emptying these wallets. One at a time cannot be overtaken half-way.
      for (const posting of pending) {
        const [outcome] = await postWith(sql, [posting], recordingOf)
        outcomes.set(posting.transactionId, outcome!)
      }
      break
    }
    const recording = recordingOf(pending)
    const rows =
      round === 0 && recording.recordedTells
        ? await postingStatement(sql, pending, { ...recording, known: nothingKnown(sql) })
        : await postingStatement(sql, pending, recording)
    pending =
      round === 0 && recording.recordedTells
        ? readFirst(rows, pending, outcomes)
        : readOutcomes(rows, pending, outcomes)
  }
  return postings.map(({ transactionId }) => outcomes.get(transactionId)!)
}

const nothingKnown = (sql: Sql) => sql`select null::uuid as transaction_id where false`

/**
 * The first round of postings whose records tell what is known. Those of a short wallet are only
 * looked at again: one that is known must not take money from those behind it.
 */
function readFirst(
  rows: readonly PostingRow[],
  postings: readonly Posting[],
  outcomes: Map<string, PostingOutcome>,
): Posting[] {
  const short = new Set<string>()
  for (const row of rows) {
    if (row.outcome === 'short') short.add(row.id)
    else if (row.outcome === 'recorded') outcomes.set(row.id, { kind: 'recorded' })
  }
  for (const { transactionId } of postings) {
    if (!outcomes.has(transactionId) && !short.has(transactionId)) {
      outcomes.set(transactionId, { kind: 'known' })
    }
  }
  return postings.filter(({ transactionId }) => short.has(transactionId))
}

/** Notes what was decided and returns the postings that are to be tried again. */
function readOutcomes(
  rows: readonly PostingRow[],
  postings: readonly Posting[],
  outcomes: Map<string, PostingOutcome>,
): Posting[] {
  const short = new Set<string>()
  const balances = new Map<string, Balance>()
  for (const row of rows) {
    if (row.outcome === 'wallet') balances.set(row.id, row)
    else if (row.outcome === 'short') short.add(row.id)
    else outcomes.set(row.id, { kind: row.outcome })
  }
  const undecided = postings.filter(({ transactionId }) => short.has(transactionId))
  const { fitting, refused } = fitPostings(undecided, balances)
  for (const [{ transactionId }, walletId] of refused) {
    outcomes.set(transactionId, { kind: 'insufficient', walletId })
  }
  const lost = postings.find(
    ({ transactionId }) => !outcomes.has(transactionId) && !short.has(transactionId),
  )
  if (lost !== undefined) throw new Error(`posting ${lost.transactionId} was not decided`)
  return fitting
}

/** Posts transfers that have no record of their own: their own keys tell a repeat. */
export function postTransfers(sql: Sql, postings: readonly Posting[]): Promise<PostingOutcome[]> {
  return postWith(sql, postings, () => ({
    // The same transfers again are known. Others under the same keys break the primary key.
    known: sql`
      select leg.transaction_id from leg
      left join transfers t on t.slot = leg.slot and t.transaction_id = leg.transaction_id
        and t.step = leg.step and t.debit = leg.debit and t.credit = leg.credit
        and t.amount = leg.amount and t.currency = leg.currency
        and t.environment = leg.environment and t.wallet_id is not distinct from leg.wallet_id
      group by leg.transaction_id having count(t.step) = count(*)`,
    recorded: sql`select transaction_id from wanted`,
  }))
}
