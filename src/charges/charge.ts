import type { Environment } from '../environment.ts'
import type { ChargeStep, Method } from '../rails/rail.ts'

/** Money on its way in: what the customer pays, and what the wallet gets of it. */
export type Charge = {
  slot: number
  id: string
  accountId: string
  environment: Environment
  state: ChargeState
  externalReference: string
  method: Method
  destination: string
  country: string
  currency: string
  amount: bigint
  walletId: string
  walletCurrency: string
  walletAmount: bigint
  fee: bigint
  /** Wallet units per unit of currency when it was accepted; nothing without conversion. */
  exchangeRate: string | null
  accountNumber: string
  code: string | null
  rail: string
  submits: number
  lookups: number
  providerReference: string | null
  stepRequired: ChargeStep | null
  redirectUrl: string | null
  wrongValues: number
  details: ChargeDetails | null
  submittedAt: Date | null
  deadlineAt: Date
  createdAt: Date
}

/** What a charge carries along. The card's number and cvv are never here. */
export type ChargeDetails = {
  email?: string
  firstName?: string
  lastName?: string
  ipAddress?: string
  card?: { brand: string; firstSix: string; lastFour: string }
  redirectUrl?: string
  successRedirectUrl?: string
  failureRedirectUrl?: string
  /** It came with a code for one use, which is not kept: only its first sender had it. */
  hadCode?: true
}

export const chargeStates = [
  'accepted',
  'submitting',
  'awaiting',
  'processing',
  'unclear',
  'succeeded',
  'failed',
] as const
export type ChargeState = (typeof chargeStates)[number]

export const chargeEvents = [
  'sent',
  'taken',
  'pending',
  'step',
  'succeeded',
  'failed',
  'unavailable',
  'unclear',
  'unknown',
  'expired',
] as const
export type ChargeEvent = (typeof chargeEvents)[number]

/** A new state; `stays` where nothing changes; `contradiction` where it cannot be true. */
export type Step = ChargeState | 'stays' | 'contradiction'

/**
 * Every event in every state. A charge that failed stays failed: money a rail collects for it
 * later is a contradiction, and goes to suspense. `taken` answers what we sent; `pending` is news
 * that the rail still waits, which takes no step from the customer.
 */
export const chargeTable: Readonly<Record<ChargeState, Readonly<Record<ChargeEvent, Step>>>> = {
  accepted: {
    sent: 'submitting',
    taken: 'contradiction',
    pending: 'contradiction',
    step: 'contradiction',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'stays',
    expired: 'failed',
  },
  submitting: {
    sent: 'contradiction',
    taken: 'processing',
    pending: 'processing',
    step: 'awaiting',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'accepted',
    unclear: 'unclear',
    unknown: 'accepted',
    expired: 'failed',
  },
  awaiting: {
    sent: 'contradiction',
    taken: 'processing',
    pending: 'stays',
    step: 'awaiting',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'contradiction',
    expired: 'failed',
  },
  processing: {
    sent: 'contradiction',
    taken: 'stays',
    pending: 'stays',
    step: 'awaiting',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'contradiction',
    expired: 'failed',
  },
  unclear: {
    sent: 'contradiction',
    taken: 'processing',
    pending: 'processing',
    step: 'awaiting',
    succeeded: 'succeeded',
    failed: 'failed',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'accepted',
    expired: 'failed',
  },
  succeeded: {
    sent: 'contradiction',
    taken: 'stays',
    pending: 'stays',
    step: 'stays',
    succeeded: 'stays',
    failed: 'contradiction',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'contradiction',
    expired: 'stays',
  },
  failed: {
    sent: 'contradiction',
    taken: 'stays',
    pending: 'stays',
    step: 'stays',
    succeeded: 'contradiction',
    failed: 'stays',
    unavailable: 'stays',
    unclear: 'stays',
    unknown: 'stays',
    expired: 'stays',
  },
}

export function transition(state: ChargeState, event: ChargeEvent): Step {
  return chargeTable[state][event]
}

export function isFinal(state: ChargeState): state is 'succeeded' | 'failed' {
  return state === 'succeeded' || state === 'failed'
}
