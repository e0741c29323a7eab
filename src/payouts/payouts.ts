import type { Clock } from '../clock.ts'
import type { GroupCommitMeter } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import { createWalletIds } from '../ledger/wallet-ids.ts'
import type { Log } from '../log.ts'
import type { CallbackMessage } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import type { Loop } from '../work/loop.ts'
import {
  acceptPayout,
  checkPayout,
  type PayoutCaller,
  type PayoutRequest,
} from './accept-payout.ts'
import { createAcceptance } from './accept-store.ts'
import { createCallbackInbox, startCallbackWorker } from './callbacks.ts'
import type { OutcomeParts } from './outcomes.ts'
import { createRepair, type Repair } from './repair.ts'
import type { AcceptedPayout } from './repeat.ts'
import { simulateOutcome } from './simulate.ts'
import { createPayoutWriter } from './store.ts'
import { startPayoutWorker } from './worker.ts'

/** Everything about payouts that the rest of the service asks for. */
export type Payouts = {
  accept(caller: PayoutCaller, request: PayoutRequest): Promise<AcceptedPayout>
  /** All rules of an acceptance, and nothing of it is written. */
  check(caller: PayoutCaller, request: PayoutRequest): Promise<void>
  repair: Repair
  receiveCallback(rail: string, message: CallbackMessage): Promise<void>
  /** Ends a pending payout of the sandbox, and says whether it did. */
  simulateOutcome(slot: number, id: string, outcome: 'succeeded' | 'failed'): Promise<boolean>
  startWork(): Loop[]
  /** What the steps of a payout work with, for those who drive them one by one. */
  parts: OutcomeParts
  close(): Promise<void>
}

export type PayoutsOptions = {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  routing: Routing
  reference: Reference
  rates: Rates
  maxBatch: number
  maxQueued: number
  meter?: GroupCommitMeter
}

export function createPayouts(options: PayoutsOptions): Payouts {
  const { db, clock, ids, log, routing, reference, rates, maxBatch, maxQueued, meter } = options
  const writer = createPayoutWriter(db)
  const parts: OutcomeParts = { db, clock, ids, routing, writer }
  const acceptance = createAcceptance(db, { maxBatch, maxQueued, ...(meter ? { meter } : {}) })
  const walletIds = createWalletIds(db, ids)
  let payoutLoop: Loop | undefined
  let callbackLoop: Loop | undefined
  const onAccepted = () => payoutLoop?.wake()
  const inbox = createCallbackInbox(parts, () => callbackLoop?.wake())
  const accepting = {
    ...{ db, clock, ids, routing, reference, rates, walletIds, acceptance, onAccepted },
  }
  return {
    parts,
    accept: (caller, request) => acceptPayout(accepting, caller, request),
    check: (caller, request) => checkPayout(accepting, caller, request),
    repair: createRepair(parts),
    receiveCallback: inbox.receive,
    simulateOutcome: (slot, id, outcome) => simulateOutcome(parts, slot, id, outcome),
    startWork() {
      payoutLoop = startPayoutWorker(parts, log)
      callbackLoop = startCallbackWorker(parts, log)
      return [payoutLoop, callbackLoop]
    },
    async close() {
      await acceptance.close()
      await inbox.close()
      await writer.close()
    },
  }
}
