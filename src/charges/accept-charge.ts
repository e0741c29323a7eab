import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Rail } from '../rails/rail.ts'
import type { Reference } from '../reference/reference.ts'
import { isReferenceUsed } from '../transactions/new-transaction.ts'
import { acceptedId, type ChargeAcceptance } from './accept-store.ts'
import {
  type BankTransferRequest,
  type OpenedAccount,
  readBankTransferRequest,
  readVirtualAccount,
  storeVirtualAccount,
} from './bank-transfer.ts'
import { type CardRequest, readCardRequest } from './card.ts'
import type { CardVault } from './card-vault.ts'
import { type Charge, isFinal } from './charge.ts'
import { type MomoRequest, readMomoRequest } from './momo.ts'
import type { ChargeParts } from './outcomes.ts'
import {
  type ChargeCaller,
  type ChargeDraft,
  type PrepareParts,
  prepareCharge,
  sendWithinMs,
} from './prepare.ts'
import { noSecrets, type Secrets, sendCharge } from './send.ts'
import { readCharge } from './store.ts'

/** How the three kinds of charges are accepted, and those sent at once that cannot wait. */

export type AcceptedCharge = { id: string; replayed: boolean }

export type AcceptParts = ChargeParts &
  PrepareParts & {
    reference: Reference
    acceptance: ChargeAcceptance
    vault: CardVault
    /** There is a charge for the worker to send. */
    onWaiting(): void
  }

export async function acceptMomo(
  parts: AcceptParts,
  caller: ChargeCaller,
  request: MomoRequest,
): Promise<AcceptedCharge> {
  const { draft, accepted } = await unlessUsed(parts.db, caller, request, async () => {
    const draft = await readMomoRequest(parts, caller, request)
    return { draft, accepted: await accept(parts, caller, draft) }
  })
  if (draft.code === null) parts.onWaiting()
  else await send(parts, caller, accepted, { card: null, code: draft.code })
  return accepted
}

export async function acceptCard(
  parts: AcceptParts,
  caller: ChargeCaller,
  request: CardRequest,
): Promise<AcceptedCharge & { charge: Charge }> {
  const { card, accepted } = await unlessUsed(parts.db, caller, request, async () => {
    const { draft, card } = readCardRequest(request, parts.clock.now())
    return { card, accepted: await accept(parts, caller, draft) }
  })
  const { charge } = await send(parts, caller, accepted, { card, code: null })
  if (!accepted.replayed && wantsCardAgain(charge)) parts.vault.keep(accepted.id, card)
  return { ...accepted, charge }
}

/** A rail may want the card with an answer of the customer; a page elsewhere asks for its own. */
function wantsCardAgain({ state, stepRequired }: Charge): boolean {
  return state === 'awaiting' && stepRequired !== 'redirect'
}

export async function acceptBankTransfer(
  parts: AcceptParts,
  caller: ChargeCaller,
  request: BankTransferRequest,
): Promise<AcceptedCharge & { account: OpenedAccount }> {
  const accepted = await unlessUsed(parts.db, caller, request, async () =>
    accept(parts, caller, readBankTransferRequest(request)),
  )
  return { ...accepted, account: await openAccount(parts, caller, accepted) }
}

/**
 * The account of a charge. Where a repeat finds none, its first request was cut short, and the
 * rail is asked again: under the same key it opens the same account.
 */
async function openAccount(
  parts: AcceptParts,
  owner: Owner,
  accepted: AcceptedCharge,
): Promise<OpenedAccount> {
  const { db } = parts
  const known = accepted.replayed && (await readVirtualAccount(db, owner.slot, accepted.id))
  if (known) return known
  const { charge, outcome } = accepted.replayed
    ? await sendNow(parts, owner, accepted.id, noSecrets)
    : await send(parts, owner, accepted, noSecrets)
  // Nobody should be asked to pay for what has ended meanwhile.
  if (outcome?.kind === 'accepted' && outcome.virtualAccount && !isFinal(charge.state)) {
    return storeVirtualAccount(db, charge, outcome.virtualAccount)
  }
  const message = 'No account could be opened now. Ask again under a new externalReference.'
  throw new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, message })
}

async function accept(
  parts: AcceptParts,
  caller: ChargeCaller,
  draft: ChargeDraft,
): Promise<AcceptedCharge> {
  const charge = await prepareCharge(parts, caller, draft)
  return acceptedId(charge.id, await parts.acceptance.submit(charge))
}

/**
 * Sends what was accepted just now. An answer of earlier has been sent at its time, and a request
 * that stood still past its own sends nothing: a worker may have given the charge up already.
 */
async function send(
  parts: AcceptParts,
  owner: Owner,
  { id, replayed }: AcceptedCharge,
  secrets: Secrets,
) {
  return sendNow(parts, owner, id, secrets, ({ createdAt }, { limits }) => {
    const lastMs = createdAt.getTime() + sendWithinMs - limits.timeoutMs
    return !replayed && parts.clock.now() <= lastMs
  })
}

async function sendNow(
  parts: AcceptParts,
  { slot }: Owner,
  id: string,
  secrets: Secrets,
  maySend: (charge: Charge, rail: Rail) => boolean = () => true,
) {
  const charge = (await readCharge(parts.db, slot, id))!
  const rail = parts.routing.byName(charge.rail)
  if (!rail?.charges || isFinal(charge.state) || !maySend(charge, rail)) {
    return { charge, outcome: undefined }
  }
  const outcome = await sendCharge(parts, rail, charge, secrets)
  return { charge: (await readCharge(parts.db, slot, id))!, outcome }
}

/** A repeat is told so, even where the rules of today would refuse it for another reason. */
async function unlessUsed<Result>(
  db: Db,
  owner: Owner,
  { externalReference }: { externalReference: string },
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
