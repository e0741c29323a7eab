import { isConflictFault, isUnavailableFault } from '../db/faults.ts'
import { createGroupCommit, type GroupCommitMeter } from '../db/group-commit.ts'
import type { Db, Fragment, Sql } from '../db/pool.ts'
import { postWith } from '../ledger/post.ts'
import { postStraight } from '../ledger/post-straight.ts'
import {
  allRecordedPart,
  type Earlier,
  findEarlier,
  knownPart,
  type NewTransaction,
  recordedPart,
} from '../transactions/new-transaction.ts'
import { toldPart } from '../webhooks/event.ts'
import { heldPosting } from './postings.ts'

export type Acceptance = Earlier | { kind: 'insufficient' }

export type PayoutAcceptance = {
  submit(payout: NewTransaction): Promise<Acceptance>
  close(): Promise<void>
}

export type AcceptanceOptions = { maxBatch: number; maxQueued: number; meter?: GroupCommitMeter }

/** After one that could not go straight, so many go the careful way: refusals come in rows. */
const carefulBatches = 100

export function createAcceptance(db: Db, options: AcceptanceOptions): PayoutAcceptance {
  let careful = 0
  return createGroupCommit<NewTransaction, Acceptance>({
    ...options,
    byHalves: true,
    async commit(payouts) {
      if (careful > 0) careful--
      else if (await acceptStraight(db, payouts)) return payouts.map(() => ({ kind: 'accepted' }))
      else careful = carefulBatches
      return await acceptOrLookAgain(db, payouts)
    },
    keyOf: ({ accountId, externalReference }) => `${accountId} ${externalReference}`,
  })
}

/** Most batches hold nothing but new payouts that are covered: no look is needed then. */
function acceptStraight(sql: Sql, payouts: readonly NewTransaction[]): Promise<boolean> {
  return postStraight(sql, payouts.map(heldPosting), {
    recorded: allRecordedPart(sql, payouts),
    further: toldOf(sql, payouts),
  })
}

function toldOf(sql: Sql, payouts: readonly NewTransaction[]): Fragment {
  const events = payouts.map(({ event }) => event)
  return toldPart(sql, events, payouts[0]!.createdAt)
}

/**
 * Another node may take the same reference or key between the look and the insert of this one: a
 * second look sees it. Several are tried again one by one anyway, and a lost database by itself.
 */
async function acceptOrLookAgain(
  db: Db,
  payouts: readonly NewTransaction[],
): Promise<Acceptance[]> {
  try {
    return await acceptAll(db, payouts)
  } catch (error) {
    if (payouts.length > 1 || isUnavailableFault(error) || isConflictFault(error)) throw error
    return await acceptAll(db, payouts)
  }
}

/** One statement for all: idempotency first, then the money, then record, transfers and event. */
async function acceptAll(sql: Sql, payouts: readonly NewTransaction[]): Promise<Acceptance[]> {
  const byId = new Map(payouts.map((payout) => [payout.id, payout]))
  const outcomes = await postWith(sql, payouts.map(heldPosting), (postings) => {
    const wanted = postings.map(({ transactionId }) => byId.get(transactionId)!)
    return {
      known: knownPart(sql, wanted),
      recorded: recordedPart(sql, wanted),
      recordedTells: true,
      further: toldOf(sql, wanted),
    }
  })
  const known = payouts.filter((_, index) => outcomes[index]!.kind === 'known')
  const earlier = await findEarlier(sql, known)
  return payouts.map(({ id }, index) => {
    const { kind } = outcomes[index]!
    if (kind === 'recorded') return { kind: 'accepted' }
    return kind === 'known' ? earlier.get(id)! : { kind: 'insufficient' }
  })
}
