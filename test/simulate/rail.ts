import type { Clock } from '../../src/clock.ts'
import type { CallbackMessage, CallbackNews, Rail, RailRoute } from '../../src/rails/rail.ts'
import { createRailBook, type RailBook } from './rail-book.ts'
import { type ChargeSide, createChargeSide } from './rail-charges.ts'
import { createPayoutSide } from './rail-payouts.ts'
import type { Random } from './random.ts'

/** A rail of the simulation: it keeps its promises and nothing else. */
export type SimulatedRail = {
  rail: Rail
  book: RailBook
  /** News that is due to be told, in the order it is sent. */
  outbox: News[]
  customers: ChargeSide
  /** What became true by now. */
  tick(): void
  setDown(isDown: boolean): void
  isDown(): boolean
}

/** It is sent until somebody says it was received. */
export type News = { dueMs: number; message: CallbackMessage }

/** What the sides of a rail share. */
export type RailParts = {
  name: string
  clock: Clock
  random: Random
  book: RailBook
  isDown(): boolean
  /** Whether faults happen at all: not while everything comes to its end. */
  isCalm(): boolean
  note(fault: string): void
  tell(news: CallbackNews, afterMs: number): void
}

export const timeoutMs = 30_000
/** What is still on its way arrives long before this: that is the rail's promise. */
const unknownIsFinalAfterMs = 180_000
export const latestArrivalMs = 90_000

export type RailOptions = Omit<RailParts, 'book' | 'isDown' | 'tell'> & {
  routes: readonly RailRoute[]
}

export function createSimulatedRail(options: RailOptions): SimulatedRail {
  const { name, clock, routes } = options
  const book = createRailBook()
  const outbox: News[] = []
  let down = false
  const parts: RailParts = {
    ...options,
    book,
    isDown: () => down,
    tell(news, afterMs) {
      outbox.push({ dueMs: clock.now() + afterMs, message: written(news) })
    },
  }
  const payouts = createPayoutSide(parts)
  const customers = createChargeSide(parts)
  const tick = () => {
    payouts.tick()
    customers.tick()
  }
  const afterTick =
    <Given extends unknown[], Result>(answer: (...given: Given) => Result) =>
    async (...given: Given): Promise<Result> => {
      tick()
      return answer(...given)
    }
  return {
    rail: {
      name,
      routes,
      limits: { concurrency: 64, perSecond: 1000, timeoutMs },
      promises: { keyIsUnique: true, unknownIsFinalAfterMs },
      payouts: { create: afterTick(payouts.create), lookup: afterTick(payouts.lookup) },
      charges: {
        create: afterTick(customers.create),
        authorise: afterTick(customers.authorise),
        lookup: afterTick(customers.lookup),
      },
      callbacks: { verify: ({ headers }) => headers.from === name, translate: read },
    },
    ...{ book, outbox, customers, tick },
    setDown(isDown) {
      down = isDown
    },
    isDown: () => down,
  }

  function written(news: CallbackNews): CallbackMessage {
    const content = { ...news, amount: news.amount?.toString() }
    return { headers: { from: name }, body: Buffer.from(JSON.stringify(content)) }
  }
}

function read({ body }: CallbackMessage): CallbackNews {
  const { amount, ...news } = JSON.parse(body.toString()) as Omit<CallbackNews, 'amount'> & {
    amount?: string
  }
  return amount === undefined ? news : { ...news, amount: BigInt(amount) }
}

export class TimedOut extends Error {}
