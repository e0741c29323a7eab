import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import { numberFromMinor } from '../money/amounts.ts'
import type { LookupOutcome, Rail, SubmitOutcome } from '../rails/rail.ts'
import type { RoutedRail, Routing } from '../rails/routing.ts'
import type { Attempt } from '../transactions/attempts.ts'
import type { EventData, TransactionEvent } from '../webhooks/event.ts'
import { isFinal, type Payout, type PayoutEvent, transition } from './payout.ts'
import { paidPosting, returnedPosting } from './postings.ts'
import type { PayoutWriter, Progress } from './store.ts'
import { readPayout } from './store.ts'

/** What became of a payout that a rail said something about. */
export type Finding = 'applied' | 'repeated' | 'contradiction'

export type OutcomeParts = {
  db: Db
  clock: Clock
  ids: Ids
  routing: Routing
  writer: PayoutWriter
}

/** What a rail said, in our words, with what is to be remembered of it. */
export type Heard = {
  event: PayoutEvent
  reason?: string
  reference?: string
  checkAfterMs?: number
  attempt: Attempt
  callbackId?: string
  /** Asked for by a reader: the rhythm of the worker stays as it was. */
  onRead?: boolean
}

/** When to ask again, by how often we asked already. */
const lookupPausesMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 900_000]
/** How long a payout waits for a rail that is away before it is returned. */
export const waitForRailMs = 24 * 3_600_000
const unavailablePauseMs = 5_000
/** How often it is sent to rails that then say they never heard of it. */
const maxSubmits = 3
const triesAgainstOthers = 5

export const eventOfSubmit: Record<SubmitOutcome['kind'], PayoutEvent> = {
  accepted: 'taken',
  succeeded: 'succeeded',
  failed: 'failed',
  unavailable: 'unavailable',
  unclear: 'unclear',
}

/** "Never heard of it" counts only when nothing can still be on its way to the rail. */
export function eventOfLookup(
  { kind }: LookupOutcome,
  rail: Rail,
  payout: Payout,
  askedMs: number,
): PayoutEvent {
  if (kind === 'pending') return 'taken'
  if (kind !== 'unknown') return kind
  const sentMs = payout.submittedAt?.getTime() ?? 0
  return askedMs - sentMs >= rail.promises.unknownIsFinalAfterMs ? 'unknown' : 'unclear'
}

/**
 * Applies what was heard, by the state table. Where somebody else changed the payout meanwhile it
 * is read again and judged anew: the table, not the order of arrival, decides.
 */
export async function applyHeard(
  parts: OutcomeParts,
  payout: Payout,
  heard: Heard,
): Promise<Finding> {
  let current = payout
  for (let tries = 0; tries < triesAgainstOthers; tries++) {
    // What an attempt that is over was told says nothing of the next, but for a final word.
    if (!isSameAttempt(current, payout)) {
      if (heard.event !== 'succeeded' && heard.event !== 'failed') return 'repeated'
      if (current.rail !== heard.attempt.rail) return 'contradiction'
    }
    const step = transition(current.state, heard.event)
    if (step === 'contradiction') {
      await noteOnly(parts, current, heard)
      return 'contradiction'
    }
    const to = step === 'stays' ? current.state : step
    // Nothing is open at the rail then: there is nothing to write down.
    if (step === 'stays' && (isFinal(to) || to === 'accepted')) return 'repeated'
    if (await write(parts, current, to, heard)) return 'applied'
    const newer = await readPayout(parts.db, current.slot, current.id)
    if (!newer) throw new Error(`payout ${current.id} is gone`)
    current = newer
  }
  throw new Error(`payout ${payout.id} keeps changing under its worker`)
}

function isSameAttempt(one: Payout, other: Payout): boolean {
  return one.submittedAt?.getTime() === other.submittedAt?.getTime() && one.rail === other.rail
}

function write(
  parts: OutcomeParts,
  payout: Payout,
  to: Payout['state'],
  heard: Heard,
): Promise<boolean> {
  if (isFinal(to)) return settle(parts, payout, to, heard)
  if (to === 'accepted') return tryAgain(parts, payout, heard)
  const lookups = Math.max(1, payout.lookups + (heard.onRead ? 0 : 1))
  const pauseMs =
    heard.checkAfterMs ?? lookupPausesMs[Math.min(lookups, lookupPausesMs.length) - 1]!
  return parts.writer.progress({
    ...progressOf(payout, heard),
    to,
    lookups,
    dueAtMs: parts.clock.now() + pauseMs,
  })
}

/** Certainly not taken: by the next rail, or after the last by the first, or back to the wallet. */
function tryAgain(parts: OutcomeParts, payout: Payout, heard: Heard): Promise<boolean> {
  const nowMs = parts.clock.now()
  const rails = railsOf(parts.routing, payout)
  const railTurn = (payout.railTurn + 1) % Math.max(1, rails.length)
  const rail = rails[railTurn]?.rail.name ?? payout.rail
  const isUnavailable = heard.event === 'unavailable'
  const isNewRound = railTurn <= payout.railTurn
  const isOver = isUnavailable
    ? nowMs - payout.createdAt.getTime() >= waitForRailMs
    : payout.submits >= maxSubmits
  if (isNewRound && isOver) {
    return settle(parts, payout, 'failed', { ...heard, reason: 'No rail could take the payment.' })
  }
  return parts.writer.progress({
    ...progressOf(payout, heard),
    ...{ to: 'accepted', rail, railTurn, lookups: 0 },
    // A rail that was away was not sent anything.
    submits: payout.submits - (isUnavailable ? 1 : 0),
    dueAtMs: nowMs + (isUnavailable && isNewRound ? unavailablePauseMs : 0),
  })
}

function settle(
  parts: OutcomeParts,
  payout: Payout,
  to: 'succeeded' | 'failed',
  heard: Heard,
): Promise<boolean> {
  const failureReason = to === 'failed' ? (heard.reason ?? 'The rail refused the payment.') : null
  return parts.writer.settle({
    payout,
    from: payout.state,
    to,
    posting: to === 'succeeded' ? paidPosting(payout, payout.rail) : returnedPosting(payout),
    failureReason,
    providerReference: heard.reference ?? null,
    event: updatedEvent(parts.ids, payout, to, failureReason),
    attempt: heard.attempt,
    ...(heard.callbackId ? { callbackId: heard.callbackId } : {}),
  })
}

/** A contradiction changes nothing, but what was said is kept for the operator. */
async function noteOnly(
  { writer, clock }: OutcomeParts,
  payout: Payout,
  heard: Heard,
): Promise<void> {
  if (isFinal(payout.state)) return
  const dueAtMs = clock.now() + lookupPausesMs.at(-1)!
  await writer.progress({ ...progressOf(payout, heard), to: payout.state, dueAtMs })
}

function progressOf(payout: Payout, heard: Heard): Omit<Progress, 'to' | 'dueAtMs'> {
  const { rail, railTurn, submits, lookups } = payout
  return {
    ...{ payout, from: payout.state, rail, railTurn, submits, lookups },
    providerReference: heard.reference ?? null,
    attempt: heard.attempt,
  }
}

type Routed = Pick<Payout, 'environment' | 'method' | 'country' | 'currency' | 'code' | 'amount'>

/** The rails that serve the route of a payout and whose limits allow its amount, in order. */
export function railsOf(routing: Routing, payout: Routed): readonly RoutedRail[] {
  const { amount } = payout
  return routeOf(routing, payout).filter(
    ({ route }) => amount >= route.minMinor && amount <= route.maxMinor,
  )
}

export function routeOf(routing: Routing, payout: Omit<Routed, 'amount'>): readonly RoutedRail[] {
  const { environment, method, country, currency, code: operator } = payout
  return routing.railsFor({
    ...{ environment, direction: 'payout', method, country, currency },
    operator,
  })
}

export function eventDataOf(
  payout: Pick<
    Payout,
    'id' | 'externalReference' | 'amount' | 'currency' | 'country' | 'destination'
  >,
  status: EventData['status'],
): EventData {
  const { id: transactionId, externalReference, amount, currency, country, destination } = payout
  return {
    ...{ transactionId, status, type: 'withdrew', externalReference },
    ...{ amount: numberFromMinor(amount, currency), currency, country, destination },
  }
}

function updatedEvent(
  ids: Ids,
  payout: Payout,
  to: 'succeeded' | 'failed',
  failureReason: string | null,
): TransactionEvent {
  const data = eventDataOf(payout, to === 'succeeded' ? 'successful' : 'failed')
  return {
    id: ids.next(payout.slot),
    transactionId: payout.id,
    event: 'transaction_updated',
    data: failureReason === null ? data : { ...data, failureReason },
  }
}
