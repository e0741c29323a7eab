import { createGroupCommit, type GroupCommitMeter } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import { type PostingOutcome, postTransfers } from './post.ts'
import type { Posting } from './posting.ts'

/** Postings that come without a record of their own, through a group commit. */
export type Ledger = {
  post(posting: Posting): Promise<PostingOutcome>
  close(): Promise<void>
}

export type LedgerOptions = { maxBatch?: number; maxQueued?: number; meter?: GroupCommitMeter }

export const defaultMaxBatch = 256
export const defaultMaxQueued = 10_000

export function createLedger(db: Db, options: LedgerOptions = {}): Ledger {
  const lane = createGroupCommit<Posting, PostingOutcome>({
    commit: (postings) => postTransfers(db, postings),
    keyOf: ({ transactionId }) => transactionId,
    maxBatch: options.maxBatch ?? defaultMaxBatch,
    maxQueued: options.maxQueued ?? defaultMaxQueued,
    ...(options.meter ? { meter: options.meter } : {}),
  })
  return { post: lane.submit, close: lane.close }
}
