import type { Clock } from '../clock.ts'
import { announceChange } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'

type Target = { webhookUrl: string | null; pausedAt: Date | null }

/**
 * Sends a record again, whatever happened to it before: its schedule begins anew, and it waits for
 * no other event. An attempt that is under way no longer decides about it. Whoever resends by hand
 * says that the receiver works: a pause ends with it.
 */
export function resendWebhook(
  db: Db,
  clock: Clock,
  { slot, accountId }: Pick<Owner, 'slot' | 'accountId'>,
  id: string,
): Promise<void> {
  return transaction(db, async (tx) => {
    if (slotOf(id) !== slot) throw new AppError('WEBHOOK_NOT_FOUND')
    const [target] = await tx<Target[]>`
      select a.webhook_url as "webhookUrl", a.webhook_paused_at as "pausedAt"
      from webhooks w join accounts a on a.id = w.account_id
      where w.slot = ${slot} and w.id = ${id} and w.account_id = ${accountId}`
    if (!target) throw new AppError('WEBHOOK_NOT_FOUND')
    if (!target.webhookUrl) throw new AppError('WEBHOOK_URL_NOT_SET')
    if (target.pausedAt) {
      await tx`
        update accounts set webhook_paused_at = null, webhook_failing_since = null
        where id = ${accountId}`
      await announceChange(tx, `account:${accountId}`)
    }
    await tx`
      update webhooks set status = 'CREATED', due_at = ${new Date(clock.now())}, attempts = 0,
        leased_until = null, at_once = true
      where slot = ${slot} and id = ${id}`
  })
}
