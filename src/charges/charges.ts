import type { Clock } from '../clock.ts'
import type { GroupCommitMeter } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import { createWalletIds } from '../ledger/wallet-ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Log } from '../log.ts'
import type { Method } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import type { Loop } from '../work/loop.ts'
import {
  type AcceptedCharge,
  type AcceptParts,
  acceptBankTransfer,
  acceptCard,
  acceptMomo,
} from './accept-charge.ts'
import { createAcceptance } from './accept-store.ts'
import { authoriseCharge } from './authorise-charge.ts'
import type { BankTransferRequest, OpenedAccount } from './bank-transfer.ts'
import { startChargeCallbackWorker } from './callbacks.ts'
import type { CardRequest } from './card.ts'
import { createCardVault } from './card-vault.ts'
import type { Charge } from './charge.ts'
import type { MomoRequest } from './momo.ts'
import type { ChargeParts, Proceeds } from './outcomes.ts'
import { type ChargeCaller, cappedFee } from './prepare.ts'
import { createChargeRepair, type Repair } from './repair.ts'
import { simulateOutcome } from './simulate.ts'
import { createChargeWriter } from './store.ts'
import { startChargeWorker } from './worker.ts'

/** Everything about charges that the rest of the service asks for. */
export type Charges = {
  acceptMomo(caller: ChargeCaller, request: MomoRequest): Promise<AcceptedCharge>
  acceptCard(
    caller: ChargeCaller,
    request: CardRequest,
  ): Promise<AcceptedCharge & { charge: Charge }>
  acceptBankTransfer(
    caller: ChargeCaller,
    request: BankTransferRequest,
  ): Promise<AcceptedCharge & { account: OpenedAccount }>
  authorise(
    owner: Owner,
    id: string,
    given: { type: string; value: string },
  ): Promise<string | null>
  repair: Repair
  /** Ends a pending charge of the sandbox, and says whether it did. */
  simulateOutcome(slot: number, id: string, outcome: 'succeeded' | 'failed'): Promise<boolean>
  /** To be called when news about charges was stored. */
  wakeCallbacks(): void
  wake(): void
  startWork(): Loop[]
  /** What the steps of a charge work with, for those who drive them one by one. */
  parts: ChargeParts
  close(): Promise<void>
}

export type ChargesOptions = {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  routing: Routing
  reference: Reference
  rates: Rates
  publicUrl(path: string): string
  /** The fee plan of an account as it is now. */
  feeOf(accountId: string): Promise<ChargeCaller['feeOf']>
  maxBatch: number
  maxQueued: number
  meter?: GroupCommitMeter
}

export function createCharges(options: ChargesOptions): Charges {
  const { db, clock, ids, log, routing, reference, rates, publicUrl } = options
  const { maxBatch, maxQueued, meter } = options
  const writer = createChargeWriter(db)
  const proceedsOf = (charge: Charge) => proceedsNow(options, charge)
  const parts: ChargeParts = { db, clock, ids, routing, writer, proceedsOf, publicUrl }
  const acceptance = createAcceptance(db, { maxBatch, maxQueued, ...(meter ? { meter } : {}) })
  const vault = createCardVault()
  const walletIds = createWalletIds(db, ids)
  let chargeLoop: Loop | undefined
  let callbackLoop: Loop | undefined
  const onWaiting = () => chargeLoop?.wake()
  const more = { rates, reference, walletIds, acceptance, vault, onWaiting }
  const accepting: AcceptParts = { ...parts, ...more }
  return {
    parts,
    acceptMomo: (caller, request) => acceptMomo(accepting, caller, request),
    acceptCard: (caller, request) => acceptCard(accepting, caller, request),
    acceptBankTransfer: (caller, request) => acceptBankTransfer(accepting, caller, request),
    authorise: (owner, id, given) => authoriseCharge({ ...parts, vault }, owner, id, given),
    repair: createChargeRepair(parts),
    simulateOutcome: (slot, id, outcome) => simulateOutcome(parts, slot, id, outcome),
    wakeCallbacks: () => callbackLoop?.wake(),
    wake: () => chargeLoop?.wake(),
    startWork() {
      chargeLoop = startChargeWorker(parts, log)
      callbackLoop = startChargeCallbackWorker(parts, log)
      return [chargeLoop, callbackLoop]
    },
    async close() {
      await acceptance.close()
      await writer.close()
    },
  }
}

/** Priced when it was accepted; a conversion is priced anew at the rate of now. */
async function proceedsNow(
  { rates, feeOf }: Pick<ChargesOptions, 'rates' | 'feeOf'>,
  charge: Charge,
): Promise<Proceeds> {
  const { amount, currency, walletCurrency, walletAmount, fee, accountId } = charge
  if (currency === walletCurrency) return { walletAmount, fee, exchangeRate: null }
  const { environment } = charge
  const asked = { amountMinor: amount, currency, walletCurrency, environment }
  const { walletMinor, rate } = rates.proceedsOf(asked)
  // What was collected must not come to nothing; then the price it was accepted at stands.
  if (walletMinor === 0n) return { walletAmount, fee, exchangeRate: charge.exchangeRate }
  const plan = { feeOf: await feeOf(accountId) }
  const method: Method = charge.method
  return {
    walletAmount: walletMinor,
    fee: cappedFee(plan, method, walletCurrency, walletMinor),
    exchangeRate: rate,
  }
}
