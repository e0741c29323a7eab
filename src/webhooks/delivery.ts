import type { Fragment, Sql } from '../db/pool.ts'

/** An event that is now this worker's to send, until its lease ends. */
export type Delivery = {
  slot: number
  id: string
  accountId: string
  transactionId: string
  sequence: number
  /** The content as every attempt sends it: the same bytes under the same id. */
  body: string
  /** Of its schedule, before this one. */
  attempts: number
  /** Whether an attempt is on record already. */
  wasTried: boolean
  atOnce: boolean
  /** Whether an earlier event of the same transaction was still to be sent. */
  isBlocked: boolean
  leasedUntilMs: number
}

/** What a receiver answered, or why nobody did. */
export type Reply = {
  ok: boolean
  /** The HTTP status, or a word where there was none. */
  status: string
  /** The start of the answer, or a sentence. */
  text: string
  /** Whether the receiver is fit to be sent more at once. */
  isFit: boolean
  retryAfter?: string
}

/**
 * Made where the data is: taking it apart and together again here would cost a quarter more. The
 * number goes into the text, which costs less than adding it to the object.
 */
export const bodyColumn = (sql: Sql): Fragment => sql`
  '{"event":"' || w.event || '","data":'
    || left(w.data::text, -1) || ', "sequence": ' || w.sequence || '},"timestamp":"'
    || to_char(w.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '"}'`
