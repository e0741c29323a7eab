import { LRUCache } from 'lru-cache'
import { lookup } from './attend.ts'
import type { OutcomeParts } from './outcomes.ts'
import { readOpenPayout } from './store.ts'

/**
 * A caller who looks at a payout whose outcome is open should see the truth, not our last guess:
 * the rail is asked at once. Not longer than a moment, and not again within a few seconds.
 */
export type Repair = (slot: number, id: string) => Promise<void>

const askForMs = 2000
const pauseMs = 3000
const remembered = 10_000

export function createRepair(parts: OutcomeParts): Repair {
  const { clock } = parts
  const asked = new LRUCache<string, true>({
    ...{ max: remembered, ttl: pauseMs, ttlResolution: 0, perf: clock },
  })
  return async (slot, id) => {
    if (asked.has(id)) return
    const payout = await readOpenPayout(parts.db, slot, id, clock.now())
    const rail = payout && parts.routing.byName(payout.rail)
    // Another reader may have asked while this one looked.
    if (!payout || !rail?.payouts || asked.has(id)) return
    asked.set(id, true)
    await lookup(parts, rail, payout, { timeoutMs: askForMs, onRead: true })
  }
}
