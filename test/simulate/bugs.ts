import type { PayoutWriter } from '../../src/payouts/store.ts'
import type { Rail } from '../../src/rails/rail.ts'
import type { Endpoints } from '../../src/webhooks/endpoints.ts'
import type { Results } from '../../src/webhooks/results.ts'
import type { Mortal } from './mortal.ts'
import type { World } from './world.ts'

/** Places where a check of the simulation puts a mistake, to see that it is found. */
export type Bugs = {
  rail?(rail: Rail, world: World): Rail
  payoutWriter?(writer: PayoutWriter, process: Mortal): PayoutWriter
  results?(results: Results, process: Mortal): Results
  endpoints?(endpoints: Endpoints, world: World): Endpoints
}
