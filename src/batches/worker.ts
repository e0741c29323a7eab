import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import type { BatchPayouts } from './batch.ts'
import { callerOf } from './create-batch.ts'
import { lineErrorOf } from './line-errors.ts'
import { idempotencyOf, requestOf } from './line-request.ts'
import {
  adoptPaid,
  type ClaimedBatch,
  claimBatch,
  finishBatch,
  followPayouts,
  type LineOutcome,
  type ReadyLine,
  readyLines,
  recordOutcomes,
  releaseBatch,
} from './run-store.ts'

export type RunParts = {
  db: Db
  clock: Clock
  log: Log
  payouts: Pick<BatchPayouts, 'accept'>
}

const everyMs = 500
/** Longer than any statement may run: what a killed worker left in the database is over by then. */
const leaseMs = 60_000
/** As many as one group commit takes. */
const linesPerStep = 256
const linesPerTurn = 32
const retryAfterMs = 5_000
const leastPauseMs = 500
const mostPauseMs = 60_000

/** These say nothing about the line: it is tried again. */
const passing: readonly ErrorCode[] = ['SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR']

export function startBatchWorker(parts: RunParts): Loop {
  const loop = startLoop({ name: 'batches', everyMs, log: parts.log }, async () => {
    if (await runStep(parts)) loop.wake()
  })
  return loop
}

/** One step of the batch that waits longest, so that long ones do not stand before others. */
export async function runStep(parts: RunParts): Promise<boolean> {
  const { db, clock } = parts
  const batch = await claimBatch(db, { nowMs: clock.now(), leaseMs })
  if (!batch) return false
  const lines = await readyLines(db, batch, linesPerStep)
  if (lines.length > 0) await payLines(parts, batch, lines)
  else await follow(parts, batch)
  return true
}

/**
 * A line is paid first and written down then. Whoever dies in between leaves it ready, and the
 * next one to try it is told of the payout that exists.
 */
async function payLines(
  parts: RunParts,
  batch: ClaimedBatch,
  lines: readonly ReadyLine[],
): Promise<void> {
  const { db, clock } = parts
  const paying: Promise<LineOutcome | undefined>[] = []
  for (let at = 0; at < lines.length; at += linesPerTurn) {
    // Whoever slept past the lease sends no more: another one may be at it.
    if (clock.now() >= batch.leasedUntil.getTime()) break
    paying.push(...lines.slice(at, at + linesPerTurn).map((line) => payLine(parts, batch, line)))
    await nextTurn()
  }
  const outcomes = (await Promise.all(paying)).filter((outcome) => outcome !== undefined)
  const at = new Date(clock.now())
  if (outcomes.length > 0) {
    const changed = await recordOutcomes(db, batch, outcomes, at)
    if (changed < outcomes.length) await adoptPaid(db, batch, at)
  }
  const isWhole = outcomes.length === lines.length
  await releaseBatch(db, batch, new Date(at.getTime() + (isWhole ? 0 : retryAfterMs)))
}

/** What became of a line; nothing where that is not known and it is to be tried again. */
async function payLine(
  { payouts, log }: RunParts,
  batch: ClaimedBatch,
  { line, reference, amount, cells }: ReadyLine,
): Promise<LineOutcome | undefined> {
  const caller = { ...callerOf(batch), idempotency: idempotencyOf(batch.id, line) }
  try {
    const { id } = await payouts.accept(caller, requestOf(cells, reference, amount))
    return { line, state: 'accepted', transactionId: id }
  } catch (error) {
    if (error instanceof AppError && !passing.includes(error.code)) {
      return { line, state: 'refused', errors: [lineErrorOf(error)] }
    }
    log.error({ err: error, batchId: batch.id, line }, 'a line of a batch could not be paid')
    return undefined
  }
}

/** All lines are tried: what is left is to hear of their payouts. */
async function follow({ db, clock }: RunParts, batch: ClaimedBatch): Promise<void> {
  const at = new Date(clock.now())
  const { open, settled } = await followPayouts(db, batch, at)
  const adopted = open === 0 ? await adoptPaid(db, batch, at) : 0
  if (open === 0 && adopted === 0) return await finishBatch(db, batch, at)
  // The longer nothing happens, the seldomer it is looked at.
  const quietMs = settled > 0 ? 0 : at.getTime() - batch.updatedAt.getTime()
  const pauseMs = Math.min(Math.max(quietMs / 10, leastPauseMs), mostPauseMs)
  await releaseBatch(db, batch, new Date(at.getTime() + pauseMs))
}
