import type { Rail } from '../rails/rail.ts'
import type { Attempt } from '../transactions/attempts.ts'
import { applyHeard, eventOfLookup, eventOfSubmit, type OutcomeParts } from './outcomes.ts'
import { orderOf, type Payout } from './payout.ts'
import type { Claimed } from './store.ts'

/** Whether the rail could be reached; nothing where that is not clear. */
export type Reached = boolean | undefined

/** Does for a claimed payout what its state asks for: send it, or ask what became of it. */
export function attend(parts: OutcomeParts, rail: Rail, claimed: Claimed): Promise<Reached> {
  return claimed.found === 'accepted'
    ? submit(parts, rail, claimed)
    : lookup(parts, rail, claimed.payout, { timeoutMs: rail.limits.timeoutMs })
}

async function submit(
  parts: OutcomeParts,
  rail: Rail,
  { payout, leasedUntilMs }: Claimed,
): Promise<Reached> {
  const { clock } = parts
  const { timeoutMs } = rail.limits
  // A worker that slept through its lease must not send: another may be asking already.
  if (clock.now() + timeoutMs > leasedUntilMs) return true
  const startMs = clock.now()
  const outcome = await within(timeoutMs, (signal) => rail.payouts!.create(orderOf(payout), signal))
  const attempt = attemptOf(parts, payout, 'submit', outcome, startMs)
  await applyHeard(parts, payout, {
    event: eventOfSubmit[outcome.kind],
    attempt,
    ...detailsOf(outcome),
  })
  return outcome.kind === 'unclear' ? undefined : outcome.kind !== 'unavailable'
}

/** Asks the rail what became of a payout, and applies the answer. */
export async function lookup(
  parts: OutcomeParts,
  rail: Rail,
  payout: Payout,
  { timeoutMs, onRead = false }: { timeoutMs: number; onRead?: boolean },
): Promise<Reached> {
  const { clock } = parts
  const startMs = clock.now()
  const outcome = await within(timeoutMs, (signal) => rail.payouts!.lookup(orderOf(payout), signal))
  const attempt = attemptOf(parts, payout, 'lookup', outcome, startMs)
  // An answer may be read long after it was given: it is as old as the question.
  const event = eventOfLookup(outcome, rail, payout, startMs)
  await applyHeard(parts, payout, { event, attempt, ...detailsOf(outcome), onRead })
  return outcome.kind !== 'unclear'
}

type Unclear = { kind: 'unclear'; said: string }

/** A rail that does not answer in time, or breaks, leaves it unclear what it did. */
async function within<Outcome>(
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | Unclear> {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // Not every rail gives up when it is told to, so it is not waited for either.
  const late = new Promise<Unclear>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: 'unclear', said: `no answer within ${timeoutMs} ms` })
      abort.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([ask(abort.signal), late])
  } catch (error) {
    return { kind: 'unclear', said: String(error) }
  } finally {
    clearTimeout(timer)
  }
}

type Said = {
  kind: string
  said: string
  reference?: string
  reason?: string
  checkAfterMs?: number
}

function detailsOf({ reference, reason, checkAfterMs }: Said) {
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(reason === undefined ? {} : { reason }),
    ...(checkAfterMs === undefined ? {} : { checkAfterMs }),
  }
}

function attemptOf(
  { ids, clock }: OutcomeParts,
  payout: Payout,
  action: Attempt['action'],
  { kind, said }: Said,
  startMs: number,
): Attempt {
  const durationMs = Math.max(0, Math.floor(clock.now() - startMs))
  const id = ids.next(payout.slot)
  return { id, rail: payout.rail, action, outcome: kind, said, durationMs, atMs: clock.now() }
}
