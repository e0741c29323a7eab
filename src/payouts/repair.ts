import { LRUCache } from 'lru-cache'
import { lookup } from './attend.ts'
import type { OutcomeParts } from './outcomes.ts'
import { readPayout } from './store.ts'

/**
 * A caller who looks at a payout whose outcome is open should see the truth, not our last guess:
 * the rail is asked at once. Not longer than a moment, and not again within a few seconds.
 */
export type Repair = (slot: number, id: string) => Promise<void>

const askForMs = 2000
const pauseMs = 3000
const remembered = 10_000

export function createRepair(parts: OutcomeParts): Repair {
  const asked = new LRUCache<string, true>({ max: remembered, ttl: pauseMs })
  return async (slot, id) => {
    if (asked.has(id)) return
    asked.set(id, true)
    const payout = await readPayout(parts.db, slot, id)
    if (payout?.state !== 'submitted' && payout?.state !== 'unclear') return
    const rail = parts.routing.byName(payout.rail)
    if (rail?.payouts) await lookup(parts, rail, payout, askForMs)
  }
}
