import type { Environment } from '../environment.ts'

/**
 * Who moves the money. A rail is told what to do and asked what became of it; it decides nothing
 * about our books. What a rail cannot do, it does not have: presence is the capability.
 */
export type Rail = {
  name: string
  routes: readonly RailRoute[]
  limits: RailLimits
  promises: RailPromises
  payouts?: {
    create(order: PayoutOrder, signal: AbortSignal): Promise<SubmitOutcome>
    lookup(order: PayoutOrder, signal: AbortSignal): Promise<LookupOutcome>
  }
  callbacks?: {
    /** Whether the rail itself sent it: nothing of it is read before. */
    verify(message: CallbackMessage): boolean
    translate(message: CallbackMessage): CallbackNews
  }
}

export type Direction = 'payout' | 'charge'
export type Method = 'momo' | 'bank' | 'card'

/** What a rail serves; a missing operator list means all. */
export type RailRoute = {
  direction: Direction
  method: Method
  country: string
  currency: string
  operators?: readonly string[]
  minMinor: bigint
  maxMinor: bigint
}

export type RailLimits = { concurrency: number; perSecond: number; timeoutMs: number }

export type RailPromises = {
  /** The same key sent twice moves money once. */
  keyIsUnique: boolean
  /** From this age on, "never heard of it" can be believed: nothing is still on its way. */
  unknownIsFinalAfterMs: number
}

/** What is to be paid, under our own id: it is the key of every attempt. */
export type PayoutOrder = {
  key: string
  environment: Environment
  method: Method
  destination: string
  country: string
  currency: string
  amount: bigint
  accountName: string
  accountNumber: string
  code: string | null
  branchCode: string | null
  businessNumber: string | null
}

/** What the rail said, short and without secrets, for whoever reads the record later. */
type Said = { said: string; reference?: string }

export type SubmitOutcome =
  | (Said & { kind: 'accepted'; checkAfterMs?: number })
  | (Said & { kind: 'succeeded' })
  /** Over: the payment cannot be made, here or elsewhere. */
  | (Said & { kind: 'failed'; reason: string })
  /** The rail certainly did not take it: another rail or a later time may. */
  | (Said & { kind: 'unavailable' })
  /** It may have been taken or not. Only a lookup can tell. */
  | (Said & { kind: 'unclear' })

export type LookupOutcome =
  | (Said & { kind: 'pending'; checkAfterMs?: number })
  | (Said & { kind: 'succeeded' })
  | (Said & { kind: 'failed'; reason: string })
  | (Said & { kind: 'unknown' })
  | (Said & { kind: 'unclear' })

export type CallbackMessage = { headers: Readonly<Record<string, string>>; body: Buffer }

/** News about a payment, with what it says of the money, so that it can be checked against ours. */
export type CallbackNews = Said & {
  key: string
  kind: 'succeeded' | 'failed' | 'reversed' | 'pending'
  reason?: string
  amount?: bigint
  currency?: string
}
