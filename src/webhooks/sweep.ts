import type { Db } from '../db/pool.ts'

const batch = 2_000

/** Removes records that are older than they are kept, with their attempts. */
export async function sweepWebhooks(db: Db, before: Date): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await db`
      with old as (
        delete from webhooks where (slot, id) in (
          select slot, id from webhooks where created_at < ${before}::timestamptz limit ${batch}
        )
        returning slot, id
      )
      , attempts as (
        delete from webhook_attempts a using old where a.slot = old.slot and a.webhook_id = old.id
      )
      select id from old`
    count += rows.length
    if (rows.length < batch) return count
  }
}
