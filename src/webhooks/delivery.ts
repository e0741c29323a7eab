import type { EventData, TransactionEvent } from './event.ts'

/** An event that is now this worker's to send, until its lease ends. */
export type Delivery = {
  slot: number
  id: string
  accountId: string
  transactionId: string
  sequence: number
  event: TransactionEvent['event']
  data: EventData
  /** Of its schedule, before this one. */
  attempts: number
  createdAt: Date
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

/** The content as every attempt sends it: the same bytes under the same id. */
export function bodyOf({
  event,
  data,
  sequence,
  createdAt,
}: Pick<Delivery, 'event' | 'data' | 'sequence' | 'createdAt'>): string {
  return JSON.stringify({
    event,
    data: { ...data, sequence },
    timestamp: createdAt.toISOString(),
  })
}
