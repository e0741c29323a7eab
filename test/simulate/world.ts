import type { manualClock } from '../../src/clock.ts'
import type { Db } from '../../src/db/pool.ts'
import type { Ids } from '../../src/ids.ts'
import type { Owner } from '../../src/ledger/wallets.ts'
import type { Rates } from '../../src/reference/rates.ts'
import type { Reference } from '../../src/reference/reference.ts'
import type { Seal } from '../../src/seal.ts'
import type { Bugs } from './bugs.ts'
import type { Mortal } from './mortal.ts'
import type { Api, Worker } from './node.ts'
import type { SimulatedRail } from './rail.ts'
import type { Random } from './random.ts'
import type { Receivers } from './receivers.ts'

/** A merchant with what its client remembers. */
export type Merchant = {
  owner: Owner & { timeZone: string }
  origin: string
  requests: Asked[]
}

export type Kind = 'payout' | 'momo' | 'card' | 'bank'

/** A request as its client made it, with what it was told. */
export type Asked = {
  kind: Kind
  reference: string
  key: string | null
  body: Record<string, unknown> & { amount: number; currency: string }
  /** The id of the answer; nothing where no answer came, or a refusal. */
  id: string | undefined
  /** Whether any try of it was not refused for good. */
  mayBeThere: boolean
}

export type Counts = {
  steps: number
  requests: number
  accepted: number
  checks: number
  deliveries: number
  faults: Record<string, number>
}

/** Everybody who takes part, on one clock, one database and one source of chance. */
export type World = {
  seed: number
  random: Random
  clock: ReturnType<typeof manualClock>
  ids: Ids
  db: Db
  seal: Seal
  reference: Reference
  rates: Rates
  rails: SimulatedRail[]
  receivers: Receivers
  merchants: Merchant[]
  apis: Api[]
  workers: Worker[]
  /** Those that stand still in the middle of something. */
  standing: Set<Mortal>
  /** Those whose caller waits for a moment only, by a clock that is not ours. */
  hasty: Set<Mortal>
  /** Ended by a client that played the rail: the rail knows nothing of it. */
  simulated: Set<string>
  /** Events that are on record as arrived. */
  delivered: Set<string>
  /** Of these somebody wanted an event out of turn, or one was given up. */
  unordered: Set<string>
  bugs: Bugs
  calm: boolean
  counts: Counts
  problems: string[]
  /** What happened, in short: the same for the same seed. */
  trace: string[]
}

export function note(world: World, fault: string): void {
  world.counts.faults[fault] = (world.counts.faults[fault] ?? 0) + 1
}

export function problem(world: World, what: string): void {
  world.problems.push(`step ${world.counts.steps}: ${what}`)
}

export function findRail(world: World, name: string): SimulatedRail {
  return world.rails.find(({ rail }) => rail.name === name)!
}
