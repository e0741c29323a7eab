import type { Db, Sql } from '../db/pool.ts'

const batch = 5_000

/**
 * An account has got a URL: what waited for one becomes due, as far as it is younger than a day.
 * To be called in the transaction that sets the URL.
 */
export async function wakeWaiting(sql: Sql, accountId: string): Promise<void> {
  await sql`
    update webhooks set due_at = now()
    where slot = (select slot from accounts where id = ${accountId}) and account_id = ${accountId}
      and status = 'CREATED' and due_at is null and created_at > now() - interval '1 day'`
}

/** Everything since a time that has not arrived is sent again, as if it were new. */
export async function sendMissed(
  db: Db,
  { id, slot }: { id: string; slot: number },
  since: Date,
): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await db`
      update webhooks set status = 'CREATED', due_at = now(), attempts = 0, leased_until = null
      where (slot, id) in (
        select slot, id from webhooks
        where slot = ${slot} and account_id = ${id} and created_at >= ${since}::timestamptz
          and (status = 'FAILED' or status = 'CREATED' and due_at is null)
        order by id limit ${batch}
      )
      returning id`
    count += rows.length
    if (rows.length < batch) return count
  }
}
