import type { Clock } from '../clock.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { audit, personActor } from '../merchants/audit.ts'
import type { Actor, Batch, BatchKey, BatchState } from './batch.ts'
import { readBatch } from './read-batch.ts'

export type DecideParts = { db: Db; clock: Clock; ids: Ids }

/** Sends a draft on its way: to a second person where it is above a limit, else to be paid. */
export async function submitBatch(
  { db, clock, ids }: DecideParts,
  key: BatchKey,
  actor: Actor,
  { skipInvalid }: { skipInvalid: boolean },
): Promise<void> {
  await transaction(db, async (tx) => {
    const batch = await readBatch(tx, key, { lock: true })
    if (batch.state !== 'draft') throw wrongState(batch, 'submitted')
    if (batch.valid === 0) {
      throw new AppError('BATCH_HAS_ERRORS', { message: 'No line of the batch can be paid.' })
    }
    if (batch.invalid > 0 && !skipInvalid) throw new AppError('BATCH_HAS_ERRORS')
    const { needsApproval } = batch
    const state: BatchState = needsApproval ? 'waiting_for_approval' : 'running'
    const at = new Date(clock.now())
    await tx`
      update batches set state = ${state}, needs_approval = ${needsApproval}, updated_at = ${at},
        due_at = ${needsApproval ? null : at}
      where slot = ${key.slot} and id = ${key.id}`
    const detail = { needsApproval, skipped: batch.invalid }
    await note(tx, ids, key, actor, 'batch.submit', detail)
  })
}

/** The statement that lets it be paid is the one that asks for another person than its maker. */
export async function approveBatch(
  { db, clock, ids }: DecideParts,
  key: BatchKey,
  actor: Actor,
): Promise<void> {
  const at = new Date(clock.now())
  await transaction(db, async (tx) => {
    const batch = await readBatch(tx, key, { lock: true })
    const approved = await tx`
      update batches set state = 'running', approved_by = ${actor.personId},
        approved_by_name = ${actor.name}, updated_at = ${at}, due_at = ${at}
      where slot = ${key.slot} and id = ${key.id} and account_id = ${key.accountId}
        and state = 'waiting_for_approval' and created_by <> ${actor.personId}
      returning id`
    if (approved.length > 0) return await note(tx, ids, key, actor, 'batch.approve')
    if (batch.createdBy.id === actor.personId) throw new AppError('APPROVAL_BY_ANOTHER')
    throw wrongState(batch, 'approved')
  })
}

/** Before anything of it is paid. What runs is over in seconds, and is not half undone. */
export async function cancelBatch(
  { db, clock, ids }: DecideParts,
  key: BatchKey,
  actor: Actor,
): Promise<void> {
  await transaction(db, async (tx) => {
    const batch = await readBatch(tx, key, { lock: true })
    const cancelled = await tx`
      update batches set state = 'cancelled', updated_at = ${new Date(clock.now())}
      where slot = ${key.slot} and id = ${key.id} and account_id = ${key.accountId}
        and state in ('draft', 'waiting_for_approval')
      returning id`
    if (cancelled.length === 0) throw wrongState(batch, 'cancelled')
    await note(tx, ids, key, actor, 'batch.cancel')
  })
}

const wordsOf: Readonly<Record<BatchState, string>> = {
  draft: 'is not submitted yet',
  waiting_for_approval: 'waits for approval',
  running: 'is being paid',
  done: 'is done',
  cancelled: 'is cancelled',
}

function wrongState({ state }: Batch, wanted: string): AppError {
  return new AppError('BATCH_STATE', {
    message: `The batch cannot be ${wanted}: it ${wordsOf[state]}.`,
  })
}

async function note(
  tx: Sql,
  ids: Ids,
  { id, accountId }: BatchKey,
  { personId }: Actor,
  action: string,
  detail: Record<string, boolean | number> = {},
): Promise<void> {
  await audit(tx, ids, { actor: personActor(personId), action, subject: id, accountId, detail })
}
