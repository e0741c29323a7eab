import type { Clock } from '../clock.ts'
import { announceChange } from '../db/changes.ts'
import type { Db, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'

export const maxResentByIds = 200
/** Of a period; whoever has more asks again. */
export const maxResentAtOnce = 10_000

type Account = Pick<Owner, 'slot' | 'accountId'>

/** These records again, as the resend of one does it. Ids of others are passed over. */
export function resendByIds(
  db: Db,
  clock: Clock,
  { slot, accountId }: Account,
  ids: readonly string[],
): Promise<number> {
  return transaction(db, async (tx) => {
    await openReceiver(tx, accountId)
    const own = ids.filter((id) => slotOf(id) === slot)
    const rows = await tx`
      update webhooks set status = 'CREATED', due_at = ${new Date(clock.now())}, attempts = 0,
        leased_until = null, at_once = true
      where slot = ${slot} and account_id = ${accountId} and id = any(${own}::uuid[])
      returning id`
    return rows.length
  })
}

/** The failed ones of a period again, the oldest first, in the order of each transaction. */
export function resendFailed(
  db: Db,
  clock: Clock,
  { slot, accountId }: Account,
  { from, to }: { from: string; to: string },
): Promise<number> {
  return transaction(db, async (tx) => {
    await openReceiver(tx, accountId)
    const rows = await tx`
      update webhooks set status = 'CREATED', due_at = ${new Date(clock.now())}, attempts = 0,
        leased_until = null
      where slot = ${slot} and account_id = ${accountId} and id in (
        select id from webhooks
        where slot = ${slot} and account_id = ${accountId} and status = 'FAILED'
          and id >= ${from}::uuid and id < ${to}::uuid
        order by id limit ${maxResentAtOnce}
      )
      returning id`
    return rows.length
  })
}

/** Whoever resends by hand says that the receiver works: a pause ends with it. */
async function openReceiver(tx: Tx, accountId: string): Promise<void> {
  const [account] = await tx<{ webhookUrl: string | null; pausedAt: Date | null }[]>`
    select webhook_url as "webhookUrl", webhook_paused_at as "pausedAt"
    from accounts where id = ${accountId}`
  if (!account?.webhookUrl) throw new AppError('WEBHOOK_URL_NOT_SET')
  if (account.pausedAt === null) return
  await tx`
    update accounts set webhook_paused_at = null, webhook_failing_since = null
    where id = ${accountId}`
  await announceChange(tx, `account:${accountId}`)
}
