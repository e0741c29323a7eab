import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'

/**
 * Sends a record again, whatever happened to it before: its schedule begins anew, and it waits for
 * no other event. An attempt that is under way no longer decides about it.
 */
export async function resendWebhook(
  db: Db,
  clock: Clock,
  { slot, accountId }: Owner,
  id: string,
): Promise<void> {
  if (slotOf(id) !== slot) throw new AppError('WEBHOOK_NOT_FOUND')
  const now = new Date(clock.now())
  const [row] = await db<{ hasUrl: boolean }[]>`
    with target as (
      select w.slot, w.id, a.webhook_url is not null as has_url
      from webhooks w join accounts a on a.id = w.account_id
      where w.slot = ${slot} and w.id = ${id} and w.account_id = ${accountId}
    )
    , resent as (
      update webhooks w set status = 'CREATED', due_at = ${now}::timestamptz, attempts = 0,
        leased_until = null, at_once = true
      from target where w.slot = target.slot and w.id = target.id and target.has_url
    )
    select has_url as "hasUrl" from target`
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND')
  if (!row.hasUrl) throw new AppError('WEBHOOK_URL_NOT_SET')
}
