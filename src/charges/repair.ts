import { LRUCache } from 'lru-cache'
import type { ChargeParts } from './outcomes.ts'
import { askAboutCharge } from './send.ts'
import { readCharge } from './store.ts'

/** Asks the rail about a charge whose outcome is open when somebody looks at it. */
export type Repair = (slot: number, id: string) => Promise<void>

const askForMs = 2000
const pauseMs = 3000
const remembered = 10_000

export function createChargeRepair(parts: ChargeParts): Repair {
  const asked = new LRUCache<string, true>({
    ...{ max: remembered, ttl: pauseMs, ttlResolution: 0, perf: parts.clock },
  })
  return async (slot, id) => {
    if (asked.has(id)) return
    asked.set(id, true)
    const charge = await readCharge(parts.db, slot, id)
    if (charge?.state !== 'processing' && charge?.state !== 'unclear') return
    const rail = parts.routing.byName(charge.rail)
    if (rail?.charges) await askAboutCharge(parts, rail, charge, askForMs)
  }
}
