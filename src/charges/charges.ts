import type { Clock } from '../clock.ts'
import type { GroupCommitMeter } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { createWalletIds } from '../ledger/wallet-ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Log } from '../log.ts'
import type { Method } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import { isReferenceUsed, type NewTransaction } from '../transactions/new-transaction.ts'
import type { Loop } from '../work/loop.ts'
import { acceptedId, createAcceptance } from './accept-store.ts'
import { authoriseCharge } from './authorise-charge.ts'
import {
  type BankTransferRequest,
  type OpenedAccount,
  readBankTransferRequest,
  readVirtualAccount,
  storeVirtualAccount,
} from './bank-transfer.ts'
import { startChargeCallbackWorker } from './callbacks.ts'
import { type CardRequest, readCardRequest } from './card.ts'
import { createCardVault } from './card-vault.ts'
import { type Charge, isFinal } from './charge.ts'
import { type MomoRequest, readMomoRequest } from './momo.ts'
import type { ChargeParts, Proceeds } from './outcomes.ts'
import { type ChargeCaller, type ChargeDraft, cappedFee, prepareCharge } from './prepare.ts'
import { createChargeRepair, type Repair } from './repair.ts'
import { noSecrets, type Secrets, sendCharge } from './send.ts'
import { simulateOutcome } from './simulate.ts'
import { createChargeWriter, readCharge } from './store.ts'
import { startChargeWorker } from './worker.ts'

export type AcceptedCharge = { id: string; replayed: boolean }

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

  async function accept(caller: ChargeCaller, draft: ChargeDraft): Promise<AcceptedCharge> {
    const charge = await prepareCharge({ clock, ids, routing, rates, walletIds }, caller, draft)
    return acceptedId(charge.id, await acceptance.submit(charge))
  }

  /** Sends what was accepted just now. An answer of earlier has been sent at its time. */
  async function send({ slot }: Owner, { id, replayed }: AcceptedCharge, secrets: Secrets) {
    const charge = (await readCharge(db, slot, id))!
    const rail = routing.byName(charge.rail)
    if (replayed || isFinal(charge.state) || !rail?.charges) return { charge, outcome: undefined }
    const outcome = await sendCharge(parts, rail, charge, secrets)
    return { charge: (await readCharge(db, slot, id))!, outcome }
  }

  /**
   * The account of a charge. Where a repeat finds none, its first request was cut short, and the
   * rail is asked again: under the same key it opens the same account.
   */
  async function openAccount(owner: Owner, accepted: AcceptedCharge): Promise<OpenedAccount> {
    const known = accepted.replayed && (await readVirtualAccount(db, owner.slot, accepted.id))
    if (known) return known
    const { charge, outcome } = await send(owner, { ...accepted, replayed: false }, noSecrets)
    if (outcome?.kind === 'accepted' && outcome.virtualAccount) {
      return storeVirtualAccount(db, charge, outcome.virtualAccount)
    }
    const message = 'No account could be opened now. Ask again under a new externalReference.'
    throw new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, message })
  }

  return {
    parts,
    acceptMomo: (caller, request) =>
      unlessUsed(db, caller, request.externalReference, async () => {
        const draft = await readMomoRequest({ db, reference }, caller, request)
        return { draft, accepted: await accept(caller, draft) }
      }).then(async ({ draft, accepted }) => {
        if (draft.code === null) chargeLoop?.wake()
        else await send(caller, accepted, { card: null, code: draft.code })
        return accepted
      }),
    acceptCard: (caller, request) =>
      unlessUsed(db, caller, request.externalReference, async () => {
        const { draft, card } = readCardRequest(request, clock.now())
        return { card, accepted: await accept(caller, draft) }
      }).then(async ({ card, accepted }) => {
        const { charge } = await send(caller, accepted, { card, code: null })
        if (!accepted.replayed && wantsCardAgain(charge)) vault.keep(accepted.id, card)
        return { ...accepted, charge }
      }),
    acceptBankTransfer: (caller, request) =>
      unlessUsed(db, caller, request.externalReference, async () => {
        return accept(caller, readBankTransferRequest(request))
      }).then(async (accepted) => ({ ...accepted, account: await openAccount(caller, accepted) })),
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

/** A rail may want the card with an answer of the customer; a page elsewhere asks for its own. */
function wantsCardAgain({ state, stepRequired }: Charge): boolean {
  return state === 'awaiting' && stepRequired !== 'redirect'
}

/** A repeat is told so, even where the rules of today would refuse it for another reason. */
async function unlessUsed<Result>(
  db: Db,
  owner: Owner,
  externalReference: NewTransaction['externalReference'],
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AppError && (await isReferenceUsed(db, owner, externalReference))) {
      throw error.code === 'IDEMPOTENCY_KEY_REUSED' ? error : new AppError('E-API-D.S-28')
    }
    throw error
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
  const plan = { feeOf: await feeOf(accountId) }
  const method: Method = charge.method
  return {
    walletAmount: walletMinor > 0n ? walletMinor : 1n,
    fee: cappedFee(plan, method, walletCurrency, walletMinor),
    exchangeRate: rate,
  }
}
