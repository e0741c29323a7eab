import type { Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'

/** What a merchant is told about a transaction. It is written in the commit that makes it true. */
export type TransactionEvent = {
  /** The id of the record, which every attempt to deliver it carries. */
  id: string
  transactionId: string
  event: 'transaction_created' | 'transaction_updated'
  data: EventData
}

export type EventData = {
  transactionId: string
  status: 'pending' | 'successful' | 'failed'
  type: 'withdrew' | 'deposit'
  externalReference: string
  amount: number
  currency: string
  country: string
  destination: string
  failureReason?: string
  stepRequired?: string
  linkedTransactionId?: string
}

const columns: UnnestColumns<TransactionEvent> = {
  id: ['uuid', (event) => event.id],
  transaction_id: ['uuid', (event) => event.transactionId],
  event: ['text', (event) => event.event],
  data: ['jsonb', (event) => JSON.stringify(event.data)],
}

/**
 * A part of a posting statement: writes the events of the transactions in `recorded`, which must
 * also yield slot, account_id and sequence of each.
 */
export function toldPart(sql: Sql, events: readonly TransactionEvent[], at: Date): Fragment {
  return sql`
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        ${at}::timestamptz, ${at}::timestamptz
      from (${unnest(sql, 'e', events, columns)}) e
      join recorded r on r.transaction_id = e.transaction_id
    )`
}
