import type { Batches } from '../batches/batches.ts'
import type { Charges } from '../charges/charges.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { RequestLog } from '../merchants/request-log.ts'
import type { Tokens } from '../merchants/tokens.ts'
import type { Metrics } from '../metrics.ts'
import type { Payouts } from '../payouts/payouts.ts'
import type { People } from '../people/people.ts'
import type { SandboxBench } from '../rails/sandbox/bench.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import type { ResolveAccount } from '../reference/resolve-account.ts'
import type { Seal } from '../seal.ts'
import type { TransactionReads } from '../transactions/reads.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { LiveEvents } from './dashboard/live-events.ts'

/** What the operations work with. */
export type Dependencies = {
  config: Config
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  db: Db
  seal: Seal
  changes: Changes
  tokens: Tokens
  reference: Reference
  rates: Rates
  payouts: Payouts
  batches: Batches
  charges: Charges
  sandbox: SandboxBench
  resolveAccount: ResolveAccount
  webhooks: Webhooks
  people: People
  requestLog: RequestLog
  live: LiveEvents
  reads: TransactionReads
}
