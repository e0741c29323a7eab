import type { ChargeOrder, ChargeStep, PayoutOrder } from '../../src/rails/rail.ts'

/** What a rail itself knows: it is the truth that our view is compared with. */
export type RailBook = {
  payouts: Map<string, PaidEntry>
  charges: Map<string, ChargedEntry>
  /** Money that came into virtual accounts, by the rail's own ids. */
  arrivals: Map<string, Arrival>
}

export type PaidEntry = {
  order: PayoutOrder
  outcome: 'succeeded' | 'failed'
  settlesAtMs: number
  /** How often money left under the key. */
  moved: number
  isReversed: boolean
  /** Its callbacks first tell the opposite of what is true. */
  lies: boolean
}

export type ChargedEntry = {
  order: ChargeOrder
  accountNumber: string | null
  /** What the customer has to do next; nothing where the rail goes on by itself. */
  steps: ChargeStep[]
  outcome: 'succeeded' | 'failed'
  settlesAtMs: number
  collected: number
  lies: boolean
}

export type Arrival = { id: string; accountNumber: string; amount: bigint; currency: string }

export function createRailBook(): RailBook {
  return { payouts: new Map(), charges: new Map(), arrivals: new Map() }
}
