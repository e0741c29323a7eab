import type { Db } from '../src/db/pool.ts'
import { unnest } from '../src/db/unnest.ts'
import type { Ids } from '../src/ids.ts'
import type { Account } from '../src/merchants/account.ts'
import type { EventData } from '../src/webhooks/event.ts'

export type AddedEvent = { id: string; transactionId: string; sequence: number }

const batch = 5_000

/** Events as if transactions had been made and changed, all due at once. */
export async function addEvents(
  db: Db,
  ids: Ids,
  account: Pick<Account, 'id' | 'slot'>,
  options: { transactions: number; each?: number; at?: Date; status?: EventData['status'] },
): Promise<AddedEvent[]> {
  const { transactions, each = 1, at = new Date(), status = 'pending' } = options
  const { slot } = account
  const transactionIds = Array.from({ length: transactions }, () => ids.next(slot))
  const events = Array.from({ length: each }, (_, index) => index + 1).flatMap((sequence) =>
    transactionIds.map((transactionId) => ({ id: ids.next(slot), transactionId, sequence })),
  )
  for (let start = 0; start < events.length; start += batch) {
    await db`
      insert into webhooks (slot, account_id, id, transaction_id, sequence, event, data, due_at,
        created_at)
      select ${slot}::smallint, ${account.id}::uuid, e.id, e.transaction_id, e.sequence,
        case e.sequence when 1 then 'transaction_created' else 'transaction_updated' end, e.data,
        ${at}::timestamptz, ${at}::timestamptz
      from (${unnest(db, 'e', events.slice(start, start + batch), {
        id: ['uuid', (event) => event.id],
        transaction_id: ['uuid', (event) => event.transactionId],
        sequence: ['smallint', (event) => event.sequence],
        data: ['jsonb', (event) => JSON.stringify(dataOf(event, status))],
      })}) e`
  }
  return events
}

function dataOf({ transactionId }: AddedEvent, status: EventData['status']): EventData {
  return {
    ...{ transactionId, status, type: 'withdrew', externalReference: `order-${transactionId}` },
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
  }
}
