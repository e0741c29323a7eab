import type { Delivery } from './delivery.ts'

/**
 * Events of one transaction go out one after the other: those that come in while an earlier one is
 * in hand wait here for its end.
 */
export type Chains = {
  /** Whether it is the first in hand; the others are kept. */
  enter(delivery: Delivery, receiver: string): 'first' | 'waits' | 'elsewhere'
  /** The end of the one in hand: the next, where it may follow, and those that may not. */
  leave(delivery: Delivery, mayFollow: boolean): { next?: Delivery; others: Delivery[] }
  waitingFor(receiver: string): number
  empty(): Delivery[]
}

type Chain = { receiver: string; last: number; waiting: Delivery[] }

export function createChains(): Chains {
  const chains = new Map<string, Chain>()
  const counts = new Map<string, number>()

  function count(receiver: string, change: number): void {
    const total = (counts.get(receiver) ?? 0) + change
    if (total === 0) counts.delete(receiver)
    else counts.set(receiver, total)
  }

  return {
    enter(delivery, receiver) {
      if (delivery.atOnce) return 'first'
      const chain = chains.get(delivery.transactionId)
      // One that does not follow the last has another worker's event before it.
      if (chain && delivery.sequence !== chain.last + 1) return 'elsewhere'
      if (chain) {
        chain.last = delivery.sequence
        chain.waiting.push(delivery)
        count(chain.receiver, 1)
        return 'waits'
      }
      // What it waits for is with another worker, or has its next attempt later.
      if (delivery.isBlocked) return 'elsewhere'
      const { transactionId, sequence } = delivery
      chains.set(transactionId, { receiver, last: sequence, waiting: [] })
      return 'first'
    },
    leave(delivery, mayFollow) {
      const chain = delivery.atOnce ? undefined : chains.get(delivery.transactionId)
      if (!chain) return { others: [] }
      const next = mayFollow ? chain.waiting.shift() : undefined
      if (next) {
        count(chain.receiver, -1)
        return { next, others: [] }
      }
      chains.delete(delivery.transactionId)
      count(chain.receiver, -chain.waiting.length)
      return { others: chain.waiting }
    },
    waitingFor: (receiver) => counts.get(receiver) ?? 0,
    empty() {
      const all = [...chains.values()].flatMap(({ waiting }) => waiting.splice(0))
      counts.clear()
      return all
    },
  }
}
