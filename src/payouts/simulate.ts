import type { Attempt } from '../transactions/attempts.ts'
import { applyHeard, type OutcomeParts } from './outcomes.ts'
import type { Payout } from './payout.ts'
import { readPayout } from './store.ts'

/** Longer than the steps below take: until then no worker looks at the payout. */
const untouchedMs = 60_000

/**
 * Brings a pending sandbox payout to its end as if its rail had said so, its money included. Says
 * whether it did; where somebody else ended it meanwhile, that stays.
 */
export async function simulateOutcome(
  parts: OutcomeParts,
  slot: number,
  id: string,
  outcome: 'succeeded' | 'failed',
): Promise<boolean> {
  const payout = await readPayout(parts.db, slot, id)
  if (payout?.environment !== 'sandbox') return false
  const current = payout.state === 'accepted' ? await asIfSent(parts, payout) : payout
  const finding = await applyHeard(parts, current, {
    event: outcome,
    reason: 'Simulated.',
    attempt: simulated(parts, current, outcome),
  })
  return finding === 'applied'
}

/** Only what was sent can fail. From here on no worker sends it without asking the rail first. */
async function asIfSent(parts: OutcomeParts, payout: Payout): Promise<Payout> {
  const { rail, railTurn, submits, lookups } = payout
  await parts.writer.progress({
    ...{ payout, from: 'accepted', to: 'submitting', rail, railTurn, lookups },
    submits: submits + 1,
    dueAtMs: parts.clock.now() + untouchedMs,
    providerReference: null,
    attempt: simulated(parts, payout, 'sent'),
  })
  return (await readPayout(parts.db, payout.slot, payout.id)) ?? payout
}

function simulated({ ids, clock }: OutcomeParts, payout: Payout, outcome: string): Attempt {
  return {
    ...{ id: ids.next(payout.slot), rail: payout.rail, action: 'callback', outcome },
    ...{ said: 'simulated', durationMs: 0, atMs: clock.now() },
  }
}
