import { announceChange } from '../db/changes.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { sendMissed } from './waiting.ts'

/** How the delivery to an account goes. */
export type DeliveryState = {
  webhookUrl: string | null
  failingSince: Date | null
  pausedAt: Date | null
  /** Events on their way, or waiting for their next attempt. */
  due: number
  /** Events that wait for a URL or for the end of a pause. */
  setAside: number
}

export async function readDeliveryState(
  sql: Sql,
  { id, slot }: { id: string; slot: number },
): Promise<DeliveryState> {
  const [state] = await sql<DeliveryState[]>`
    select a.webhook_url as "webhookUrl", a.webhook_failing_since as "failingSince",
      a.webhook_paused_at as "pausedAt", waiting.due, waiting.aside as "setAside"
    from accounts a cross join (
      select count(due_at)::int as due, (count(*) - count(due_at))::int as aside
      from webhooks where slot = ${slot} and account_id = ${id} and status = 'CREATED'
    ) waiting
    where a.id = ${id}`
  return state!
}

/**
 * Ends a pause and sends everything that was missed: since the given time, or since nothing has
 * arrived any more. Answers with the number of events.
 */
export async function resumeDelivery(
  db: Db,
  account: { id: string; slot: number },
  since?: Date,
): Promise<number> {
  const { failingSince } = await readDeliveryState(db, account)
  await transaction(db, async (tx) => {
    await tx`
      update accounts set webhook_paused_at = null, webhook_failing_since = null
      where id = ${account.id}`
    await announceChange(tx, `account:${account.id}`)
  })
  const from = since ?? failingSince
  return from ? await sendMissed(db, account, from) : 0
}
