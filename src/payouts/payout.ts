import type { Environment } from '../environment.ts'
import type { Method, PayoutOrder } from '../rails/rail.ts'

/** A payout on its way: what was asked, what it costs, and how far it has come. */
export type Payout = {
  slot: number
  id: string
  accountId: string
  environment: Environment
  state: PayoutState
  externalReference: string
  method: Method
  destination: string
  country: string
  currency: string
  amount: bigint
  walletId: string
  walletCurrency: string
  /** What leaves the wallet for it, fee apart, in the wallet's currency. */
  walletAmount: bigint
  fee: bigint
  accountName: string
  accountNumber: string
  code: string | null
  branchCode: string | null
  businessNumber: string | null
  rail: string
  railTurn: number
  submits: number
  lookups: number
  providerReference: string | null
  submittedAt: Date | null
  createdAt: Date
}

export const payoutStates = [
  'accepted',
  'submitting',
  'submitted',
  'unclear',
  'succeeded',
  'failed',
] as const
export type PayoutState = (typeof payoutStates)[number]

/** What can happen to a payout. */
export const payoutEvents = [
  'sent',
  'taken',
  'succeeded',
  'failed',
  'unavailable',
  'unclear',
  'unknown',
] as const
export type PayoutEvent = (typeof payoutEvents)[number]

/** A new state; `stays` where nothing changes; `contradiction` where it cannot be true. */
export type Step = PayoutState | 'stays' | 'contradiction'

/**
 * Every event in every state. `submitting` is written before the rail is called: whoever finds a
 * payout there later cannot know whether the call was made, and asks instead of sending again.
 */
export const payoutTable: Readonly<Record<PayoutState, Readonly<Record<PayoutEvent, Step>>>> = {
  accepted: {
    sent: 'submitting',
    taken: 'contradiction',
    succeeded: 'succeeded',
    failed: 'stays',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'stays',
  },
  submitting: {
    sent: 'contradiction',
    taken: 'submitted',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'accepted',
    unclear: 'unclear',
    unknown: 'accepted',
  },
  submitted: {
    sent: 'contradiction',
    taken: 'stays',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'contradiction',
  },
  unclear: {
    sent: 'contradiction',
    taken: 'submitted',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'accepted',
  },
  succeeded: {
    sent: 'contradiction',
    taken: 'stays',
    succeeded: 'stays',
    failed: 'contradiction',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'contradiction',
  },
  failed: {
    sent: 'contradiction',
    taken: 'contradiction',
    succeeded: 'contradiction',
    failed: 'stays',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'stays',
  },
}

export function transition(state: PayoutState, event: PayoutEvent): Step {
  return payoutTable[state][event]
}

export function isFinal(state: PayoutState): state is 'succeeded' | 'failed' {
  return state === 'succeeded' || state === 'failed'
}

/** What the rail is told. Our id is its key, in every attempt the same. */
export function orderOf(payout: Payout): PayoutOrder {
  const { id: key, environment, method, destination, country, currency, amount } = payout
  const { accountName, accountNumber, code, branchCode, businessNumber } = payout
  return {
    ...{ key, environment, method, destination, country, currency, amount },
    ...{ accountName, accountNumber, code, branchCode, businessNumber },
  }
}
