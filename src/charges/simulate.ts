import { isFinal } from './charge.ts'
import { applyHeard, type ChargeParts } from './outcomes.ts'
import { attemptOf } from './send.ts'
import { readCharge } from './store.ts'

/**
 * Brings a pending sandbox charge to its end as if its rail had said so, its money included. Says
 * whether it did; where somebody else ended it meanwhile, that stays.
 */
export async function simulateOutcome(
  parts: ChargeParts,
  slot: number,
  id: string,
  outcome: 'succeeded' | 'failed',
): Promise<boolean> {
  const charge = await readCharge(parts.db, slot, id)
  if (charge?.environment !== 'sandbox' || isFinal(charge.state)) return false
  const said = { kind: outcome, said: 'simulated' }
  const finding = await applyHeard(parts, charge, {
    event: outcome,
    reason: 'Simulated.',
    attempt: attemptOf(parts, charge, 'callback', said, parts.clock.now()),
  })
  return finding === 'applied'
}
