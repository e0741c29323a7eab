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
  charges?: {
    create(order: ChargeOrder, signal: AbortSignal): Promise<ChargeOutcome>
    /** The customer's answer to a step. `refused` means a wrong value: it may be tried again. */
    authorise?(
      key: string,
      answer: StepAnswer,
      signal: AbortSignal,
    ): Promise<ChargeOutcome | (Said & { kind: 'refused' })>
    lookup(key: string, signal: AbortSignal): Promise<ChargeLookup>
  }
  accounts?: {
    /** Whose account it is; nothing where the rail knows no such account. */
    resolve(query: AccountQuery, signal: AbortSignal): Promise<ResolvedAccount | undefined>
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

export type AccountQuery = {
  method: 'momo' | 'bank'
  country: string
  currency: string
  accountNumber: string
  /** The operator or the bank. */
  code: string | null
}

export type ResolvedAccount = { accountId: string; accountName: string }

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

/** What the customer has to do before a charge goes on. */
export const chargeSteps = ['otp', 'pin', 'address', 'redirect'] as const
export type ChargeStep = (typeof chargeSteps)[number]

export type Card = { number: string; cvv: string; expMonth: string; expYear: string }

/** What is to be collected, under our own id. A card is here for the call only. */
export type ChargeOrder = {
  key: string
  environment: Environment
  method: Method
  country: string
  currency: string
  amount: bigint
  phoneNumber: string | null
  operator: string | null
  /** A code the customer made at the operator beforehand, or a voucher. */
  code: string | null
  card: Card | null
  customer: { email: string | null; name: string | null; ip: string | null }
  /** How long the customer has. */
  deadlineMs: number
}

export type StepAnswer = {
  step: Exclude<ChargeStep, 'redirect'>
  value: string
  /** Some rails want the card again with the pin or the address. */
  card: Card | null
}

export type VirtualAccount = { accountNumber: string; bankName: string; note: string }

export type ChargeOutcome =
  | (Said & { kind: 'accepted'; checkAfterMs?: number; virtualAccount?: VirtualAccount })
  /** A redirect carries the path of a page of ours, or an address elsewhere. */
  | (Said & { kind: 'step'; step: ChargeStep; redirectTo?: string })
  | (Said & { kind: 'succeeded' })
  | (Said & { kind: 'failed'; reason: string })
  | (Said & { kind: 'unavailable' })
  | (Said & { kind: 'unclear' })

export type ChargeLookup =
  | LookupOutcome
  | (Said & { kind: 'step'; step: ChargeStep; redirectTo?: string })

export type CallbackMessage = { headers: Readonly<Record<string, string>>; body: Buffer }

/** News about a payment, with what it says of the money, so that it can be checked against ours. */
export type CallbackNews = Said & {
  key: string
  direction: Direction
  kind: 'succeeded' | 'failed' | 'reversed' | 'pending'
  /** Where it tells of money that came into a virtual account: the rail's own id of it. */
  arrival?: { id: string; accountNumber: string }
  reason?: string
  amount?: bigint
  currency?: string
}
