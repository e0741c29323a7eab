import type { Intent } from './intents.ts'
import type { Message } from './receiver.ts'

/** What those outside of the service remember when a run is over. */
export type Outside = {
  intents: readonly Intent[]
  /** The account of each merchant, in their order. */
  accountIds: readonly string[]
  /** What each wallet held before the first request: account and currency to minor units. */
  funds: ReadonlyMap<string, bigint>
  messages: readonly Message[]
}

/** The names of the invariants, as they are counted and reported. */
export const invariants = {
  answered: 'every request has an answer in the end',
  accepted: 'what was accepted is on record, as it was asked for',
  read: 'what a client has read as final is final',
  refused: 'what was refused left no trace',
  asked: 'nothing is on record that nobody asked for',
  final: 'every transaction came to its end',
  moved: 'the rail moved the money exactly if our record says so',
  amount: 'the rail and our record have the same amount',
  known: 'the rail has nothing that we do not know',
  arrived: 'money that arrived settled its charge once or is in suspense',
  transfers: 'the ledger has the transfers of the final state, and no others',
  wallets: 'each wallet holds what its client reckons',
  events: 'every change is an event, and the last tells the final state',
  told: 'every event reached its receiver',
  order: 'events of a transaction arrive in their order',
  same: 'a message that comes again is the same under the same id',
  addressed: 'a message tells its own merchant what is on record',
} as const
