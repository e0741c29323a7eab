import { createGroupCommit, type GroupCommitMeter } from '../db/group-commit.ts'
import type { Db, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { Delivery, Reply } from './delivery.ts'

/** What became of one attempt. */
export type Result = {
  delivery: Delivery
  attemptId: string
  url: string
  reply: Reply
  status: 'CREATED' | 'FAILED' | 'SUCCESS'
  nextDueMs: number | null
  startedMs: number
  durationMs: number
}

/** Whether the lease still held. If not, somebody else has the event: only the attempt is kept. */
export type Applied = boolean

export type Results = { submit(result: Result): Promise<Applied>; close(): Promise<void> }

export const maxAnswerLength = 500
const lane = { maxBatch: 512, maxQueued: 20_000 }
/** So many are worth a commit of their own; fewer wait for company, but not for long. */
const enough = 256
const gatherMs = 20

/**
 * Writing many at once costs the database half of what few at a time do. Nobody waits for a
 * result but the next event of the same transaction, so they are gathered for a moment.
 */
export function createResults(db: Db, meter?: GroupCommitMeter): Results {
  const commits = createGroupCommit<Result, Applied>({
    ...lane,
    keyOf: ({ delivery }) => delivery.id,
    commit: (results) => writeResults(db, results),
    ...(meter ? { meter } : {}),
  })
  const gathered: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let flushedMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    flushedMs = performance.now()
    for (const go of gathered.splice(0)) go()
  }

  return {
    async submit(result) {
      const isAlone = gathered.length === 0 && performance.now() - flushedMs > gatherMs
      if (isAlone) flushedMs = performance.now()
      else
        await new Promise<void>((resolve) => {
          gathered.push(resolve)
          if (gathered.length >= enough) flush()
          else timer ??= setTimeout(flush, gatherMs)
        })
      return await commits.submit(result)
    },
    async close() {
      flush()
      await Promise.resolve()
      await commits.close()
    },
  }
}

/** Times go as numbers: writing them as text would cost as much as signing does. */
const columns: UnnestColumns<Result> = {
  slot: ['smallint', ({ delivery }) => delivery.slot],
  webhook_id: ['uuid', ({ delivery }) => delivery.id],
  lease_ms: ['float8', ({ delivery }) => delivery.leasedUntilMs],
  attempts: ['smallint', ({ delivery }) => delivery.attempts + 1],
  was_tried: ['bool', ({ delivery }) => delivery.wasTried],
  attempt_id: ['uuid', ({ attemptId }) => attemptId],
  url: ['text', ({ url }) => url],
  new_status: ['text', ({ status }) => status],
  due_ms: ['float8', ({ nextDueMs }) => nextDueMs],
  at_ms: ['float8', ({ startedMs }) => startedMs],
  duration_ms: ['int', ({ durationMs }) => durationMs],
  status: ['text', ({ reply }) => reply.status],
  answer: ['text', ({ reply }) => reply.text],
}

/**
 * One statement for all. The attempt takes the place of the one before it, which moves to its
 * history; where the lease is gone it goes there itself. An event that is done frees those after
 * it, which had been put off to the time of its next attempt.
 */
async function writeResults(sql: Sql, results: readonly Result[]): Promise<Applied[]> {
  const rows = await sql<{ id: string }[]>`
    with result as materialized (
      select *, to_timestamp(lease_ms / 1000) as lease, to_timestamp(due_ms / 1000) as due_at,
        to_timestamp(at_ms / 1000) as at
      from (${unnest(sql, 'given', results, columns)}) given
    )
    , done as (
      update webhooks w set status = r.new_status, due_at = r.due_at, leased_until = null,
        attempts = r.attempts, webhook_url = r.url, response_status = r.status,
        response_body = r.answer, at_once = w.at_once and r.new_status = 'CREATED',
        attempt_id = r.attempt_id, attempted_at = r.at, attempt_ms = r.duration_ms
      from result r
      where w.slot = r.slot and w.id = r.webhook_id and w.leased_until = r.lease
      returning w.slot, w.id, w.transaction_id, w.sequence, w.status, r.at
    )
    , earlier as (
      insert into webhook_attempts (slot, webhook_id, id, at, duration_ms, status, answer)
      select w.slot, w.id, w.attempt_id, w.attempted_at, w.attempt_ms, w.response_status,
        w.response_body
      from result r join webhooks w on w.slot = r.slot and w.id = r.webhook_id
      where r.was_tried and w.attempt_id <> r.attempt_id
      union all
      select r.slot, r.webhook_id, r.attempt_id, r.at, r.duration_ms, r.status, r.answer
      from result r
      where not exists (select from done where done.slot = r.slot and done.id = r.webhook_id)
      on conflict do nothing
    )
    , freed as (
      update webhooks w set due_at = least(w.due_at, done.at)
      from done
      where done.status <> 'CREATED' and w.slot = done.slot
        and w.transaction_id = done.transaction_id and w.sequence > done.sequence
        and w.status = 'CREATED' and w.leased_until is null and w.due_at is not null
        and w.id not in (select webhook_id from result)
    )
    select id from done`
  const applied = new Set(rows.map(({ id }) => id))
  return results.map(({ delivery }) => applied.has(delivery.id))
}
