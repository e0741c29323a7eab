import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { numberFromMinor } from '../money/amounts.ts'
import type { ChargeStep } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Attempt } from '../transactions/attempts.ts'
import type { EventData, TransactionEvent } from '../webhooks/event.ts'
import { type Charge, type ChargeEvent, isFinal, transition } from './charge.ts'
import { collectedPosting } from './postings.ts'
import { type ChargeWriter, type Progress, readCharge } from './store.ts'
import { bookSuspense } from './suspense.ts'

/** What the wallet gets of a charge at this moment: after conversion, and the fee on it. */
export type Proceeds = { walletAmount: bigint; fee: bigint; exchangeRate: string | null }

export type ChargeParts = {
  db: Db
  clock: Clock
  ids: Ids
  routing: Routing
  writer: ChargeWriter
  /** By the rate and the fee plan of the moment it settles. Refuses where there is no rate. */
  proceedsOf(charge: Charge): Promise<Proceeds>
  /** The address of a page of ours. */
  publicUrl(path: string): string
}

export type Finding = 'applied' | 'repeated' | 'contradiction'

/** What a rail said about a charge, in our words. */
export type Heard = {
  event: ChargeEvent
  reason?: string
  reference?: string
  checkAfterMs?: number
  step?: ChargeStep
  redirectTo?: string
  attempt: Attempt
  callbackId?: string
  wrongValues?: number
}

const lookupPausesMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000]
const unavailablePauseMs = 2_000
const maxSubmits = 3
const triesAgainstOthers = 5

/** Applies what was heard, by the state table; where somebody was quicker, by the state of now. */
export async function applyHeard(
  parts: ChargeParts,
  charge: Charge,
  heard: Heard,
): Promise<Finding> {
  let current = charge
  for (let tries = 0; tries < triesAgainstOthers; tries++) {
    const step = transition(current.state, heard.event)
    if (step === 'contradiction') {
      if (heard.event === 'succeeded') await keepLateMoney(parts, current)
      return 'contradiction'
    }
    const to = step === 'stays' ? current.state : step
    if (step === 'stays' && (isFinal(to) || to === 'accepted')) return 'repeated'
    if (await write(parts, current, to, heard)) return 'applied'
    const newer = await readCharge(parts.db, current.slot, current.id)
    if (!newer) throw new Error(`charge ${current.id} is gone`)
    current = newer
  }
  throw new Error(`charge ${charge.id} keeps changing under its worker`)
}

/**
 * A rail collected for a charge that has failed here: the money is real and is kept apart, once
 * however often it is told. What comes into a virtual account is kept by whoever tells of it.
 */
async function keepLateMoney(parts: ChargeParts, charge: Charge): Promise<void> {
  const { slot, id, environment, rail, currency, amount, accountId, method } = charge
  if (method === 'bank') return
  await bookSuspense(parts.db, {
    ...{ slot, id, environment, rail, currency, amount, transactionId: id, accountId },
    story: 'The rail collected it after the charge had failed.',
    at: new Date(parts.clock.now()),
  })
}

function write(
  parts: ChargeParts,
  charge: Charge,
  to: Charge['state'],
  heard: Heard,
): Promise<boolean> {
  if (to === 'succeeded') return settle(parts, charge, heard)
  if (to === 'failed') return fail(parts, charge, heard)
  if (to === 'accepted') return tryAgain(parts, charge, heard)
  if (to === 'awaiting') return askCustomer(parts, charge, heard)
  const lookups = charge.lookups + 1
  const pauseMs =
    heard.checkAfterMs ?? lookupPausesMs[Math.min(lookups, lookupPausesMs.length) - 1]!
  const base = progressOf(charge, heard)
  return parts.writer.progress({
    ...base,
    ...{ to, lookups, stepRequired: null, redirectUrl: null },
    dueAtMs: Math.min(parts.clock.now() + pauseMs, laterOf(charge, parts.clock.now())),
  })
}

/** The deadline, or soon where it has passed: then the rail is asked a last time. */
function laterOf(charge: Charge, nowMs: number): number {
  return Math.max(charge.deadlineAt.getTime(), nowMs + 1000)
}

/** The customer has something to do; nothing happens until they do it or the deadline comes. */
function askCustomer(parts: ChargeParts, charge: Charge, heard: Heard): Promise<boolean> {
  const stepRequired = heard.step ?? charge.stepRequired
  const redirectUrl = heard.redirectTo ? addressOf(parts, heard.redirectTo) : null
  const isNews = charge.state !== 'awaiting' || charge.stepRequired !== stepRequired
  const told = { ...eventDataOf(charge, 'pending'), ...(stepRequired ? { stepRequired } : {}) }
  return parts.writer.progress({
    ...progressOf(charge, heard),
    ...{ to: 'awaiting', stepRequired, redirectUrl: redirectUrl ?? charge.redirectUrl },
    dueAtMs: charge.deadlineAt.getTime(),
    event: isNews ? eventOf(parts.ids, charge, told) : null,
  })
}

/** A page of ours is told by its path, one elsewhere by its whole address. */
function addressOf({ publicUrl }: ChargeParts, to: string): string {
  return to.startsWith('/') ? publicUrl(to) : to
}

const tooManyWrong = 'A wrong authorisation value was given three times.'

/** Notes a wrong value: the customer may try again, or with the last one the charge is over. */
export function writeWrongValue(
  parts: ChargeParts,
  charge: Charge,
  given: { wrongValues: number; isLast: boolean; attempt: Attempt },
): Promise<boolean> {
  const { wrongValues, isLast, attempt } = given
  return isLast
    ? fail(parts, charge, { event: 'failed', reason: tooManyWrong, attempt, wrongValues })
    : askCustomer(parts, charge, { event: 'step', attempt, wrongValues })
}

/** Certainly not taken: once more while there is time, or it fails. */
function tryAgain(parts: ChargeParts, charge: Charge, heard: Heard): Promise<boolean> {
  const nowMs = parts.clock.now()
  const unavailable = heard.event === 'unavailable'
  // A card or a code is known for the length of one call only: its charge is not sent again.
  const canBeSent = charge.method === 'momo' && !charge.details?.hadCode
  const again = canBeSent && (unavailable || charge.submits < maxSubmits)
  if (!again) {
    return fail(parts, charge, { ...heard, reason: 'No rail could take the payment.' })
  }
  return parts.writer.progress({
    ...progressOf(charge, heard),
    ...{ to: 'accepted', lookups: 0, submits: charge.submits - (unavailable ? 1 : 0) },
    dueAtMs: nowMs + (unavailable ? unavailablePauseMs : 0),
  })
}

async function settle(parts: ChargeParts, charge: Charge, heard: Heard): Promise<boolean> {
  const proceeds = await parts.proceedsOf(charge).catch((error) => accepted(charge, error))
  return parts.writer.settle({
    ...{ charge, from: charge.state, to: 'succeeded', ...proceeds, failureReason: null },
    posting: collectedPosting({ ...charge, ...proceeds }),
    providerReference: heard.reference ?? null,
    wrongValues: charge.wrongValues,
    event: eventOf(parts.ids, charge, eventDataOf(charge, 'successful')),
    attempt: heard.attempt,
    ...(heard.callbackId ? { callbackId: heard.callbackId } : {}),
  })
}

/** The money is collected and needs its home: without a rate of now the one of then stands. */
function accepted({ walletAmount, fee, exchangeRate }: Charge, error: unknown): Proceeds {
  if (error instanceof AppError && error.code === 'FX_RATE_UNAVAILABLE') {
    return { walletAmount, fee, exchangeRate }
  }
  throw error
}

function fail(parts: ChargeParts, charge: Charge, heard: Heard): Promise<boolean> {
  const failureReason = heard.reason ?? 'The rail refused the payment.'
  const { walletAmount, fee, exchangeRate } = charge
  return parts.writer.settle({
    ...{
      charge,
      from: charge.state,
      to: 'failed',
      posting: null,
      walletAmount,
      fee,
      failureReason,
    },
    exchangeRate,
    providerReference: heard.reference ?? null,
    wrongValues: heard.wrongValues ?? charge.wrongValues,
    event: eventOf(parts.ids, charge, { ...eventDataOf(charge, 'failed'), failureReason }),
    attempt: heard.attempt,
    ...(heard.callbackId ? { callbackId: heard.callbackId } : {}),
  })
}

function progressOf(charge: Charge, heard: Heard): Omit<Progress, 'to' | 'dueAtMs'> {
  const { submits, lookups, stepRequired, redirectUrl } = charge
  return {
    ...{ charge, from: charge.state, submits, lookups, stepRequired, redirectUrl, event: null },
    wrongValues: heard.wrongValues ?? charge.wrongValues,
    providerReference: heard.reference ?? null,
    attempt: heard.attempt,
  }
}

export function eventDataOf(
  charge: Pick<
    Charge,
    'id' | 'externalReference' | 'amount' | 'currency' | 'country' | 'destination'
  >,
  status: EventData['status'],
): EventData {
  const { id: transactionId, externalReference, amount, currency, country, destination } = charge
  return {
    ...{ transactionId, status, type: 'deposit', externalReference },
    ...{ amount: numberFromMinor(amount, currency), currency, country, destination },
  }
}

function eventOf(ids: Ids, charge: Charge, data: EventData): TransactionEvent {
  const event = 'transaction_updated' as const
  return { id: ids.next(charge.slot), transactionId: charge.id, event, data }
}
