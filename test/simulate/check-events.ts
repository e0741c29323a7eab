import type { Seen } from './checks.ts'
import type { Reception } from './receivers.ts'
import { problem, type World } from './world.ts'

/** What the merchants were told, at their own ends. */

/** Nobody receives what belongs to another. */
export function receivedByOwner(world: World, seen: ReadonlyMap<string, Seen>): void {
  const ownerOf = new Map(world.merchants.map(({ origin, owner }) => [origin, owner.accountId]))
  for (const { origin, transactionId } of world.receivers.log) {
    if (seen.get(transactionId)?.accountId !== ownerOf.get(origin)) {
      problem(world, `${origin} was told of ${transactionId}, which is not its own`)
    }
  }
}

/** Every change has arrived, each after the one before it, and the last one is the outcome. */
export function eventsInOrder(world: World, seen: ReadonlyMap<string, Seen>): void {
  const byTransaction = Map.groupBy(world.receivers.log, ({ transactionId }) => transactionId)
  for (const { id, sequence, status, kind } of seen.values()) {
    const received = byTransaction.get(id) ?? []
    const isOrdered = !world.unordered.has(id)
    for (let number = 1; number <= sequence; number++) {
      const at = received.findIndex((each) => each.sequence === number && each.isAnswered)
      if (at < 0) {
        problem(world, `${kind} ${id}: change ${number} of ${sequence} has not arrived`)
        continue
      }
      if (isOrdered && number < sequence && isOvertaken(received, number, at)) {
        problem(world, `${kind} ${id}: change ${number + 1} was told before ${number} had arrived`)
      }
      if (number === sequence && received[at]!.status !== status) {
        problem(
          world,
          `${kind} ${id} is ${status}, and its last event says ${received[at]!.status}`,
        )
      }
    }
    if (received.some((each) => each.sequence > sequence)) {
      problem(world, `${kind} ${id}: more was told than has happened`)
    }
  }
}

function isOvertaken(received: readonly Reception[], number: number, arrivedAt: number): boolean {
  const next = received.findIndex((each) => each.sequence === number + 1)
  return next >= 0 && next < arrivedAt
}
