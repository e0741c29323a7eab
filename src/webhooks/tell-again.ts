import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Ids } from '../ids.ts'
import { numberFromMinor } from '../money/amounts.ts'
import type { EventData } from './event.ts'

type Told = Omit<EventData, 'transactionId' | 'status' | 'type' | 'amount'> & {
  accountId: string
  kind: string
  amount: bigint
  sequence: number
}

/** Writes an event that says a status, whatever the transaction has: for trying out receivers. */
export function tellAgain(
  { db, clock, ids }: { db: Db; clock: Clock; ids: Ids },
  { slot, id }: { slot: number; id: string },
  status: EventData['status'],
): Promise<void> {
  const at = new Date(clock.now())
  return transaction(db, async (tx) => {
    const [told] = await tx<Told[]>`
      update transactions set sequence = sequence + 1
      where slot = ${slot} and id = ${id} and environment = 'sandbox'
      returning account_id as "accountId", kind, external_reference as "externalReference",
        amount, currency, country, destination, sequence`
    if (!told) throw new Error(`transaction ${id} is not one of the sandbox`)
    const { accountId, kind, sequence, amount, externalReference, ...rest } = told
    const data: EventData = {
      transactionId: id,
      status,
      type: kind === 'payout' ? 'withdrew' : 'deposit',
      externalReference,
      amount: numberFromMinor(amount, rest.currency),
      ...rest,
    }
    await tx`
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      values (${slot}, ${ids.next(slot)}, ${accountId}, ${id}, ${sequence}, 'transaction_updated',
        ${tx.json(data)}, ${at}, ${at})`
  })
}
