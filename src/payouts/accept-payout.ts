import { findBeneficiary } from '../beneficiaries/find.ts'
import {
  type CheckedDestination,
  checkPayoutMethod,
  type PayoutMethodInput,
} from '../beneficiaries/payout-method.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { AppError, validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { WalletIds } from '../ledger/wallet-ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Method } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import type { NewTransaction } from '../transactions/new-transaction.ts'
import { requestedMinor } from '../transactions/requested-amount.ts'
import type { Acceptance, PayoutAcceptance } from './accept-store.ts'
import { debitScope } from './debit.ts'
import { eventDataOf, railsOf, routeOf } from './outcomes.ts'
import { type AcceptedPayout, findRepeat } from './repeat.ts'

export type PayoutRequest = {
  amount: number
  externalReference: string
  externalAccountId?: string | undefined
  currency?: string | undefined
  country?: string | undefined
  destination?: string | undefined
  payoutMethod?: PayoutMethodInput | undefined
  debitCurrency?: string | undefined
  debitCountry?: string | undefined
}

export type PayoutCaller = Owner & {
  feeOf(method: Method, currency: string, amountMinor: bigint): bigint
  idempotency: NewTransaction['idempotency']
}

export type AcceptParts = {
  db: Db
  clock: Clock
  ids: Ids
  routing: Routing
  reference: Reference
  rates: Rates
  walletIds: WalletIds
  acceptance: PayoutAcceptance
  /** Called when there is something to send. */
  onAccepted(): void
}

/** Takes a payout, or refuses it with a reason and without a trace. */
export async function acceptPayout(
  parts: AcceptParts,
  caller: PayoutCaller,
  request: PayoutRequest,
): Promise<AcceptedPayout> {
  const { externalReference } = request
  checkReference(externalReference)
  let payout: NewTransaction
  try {
    payout = await preparePayout(parts, caller, request)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return await answerRepeat(parts, caller, externalReference, error)
  }
  const acceptance = await parts.acceptance.submit(payout)
  if (acceptance.kind === 'accepted') {
    parts.onAccepted()
    const { id, amount, currency } = payout
    return { id, amount, currency, replayed: false }
  }
  return await answerRepeat(parts, caller, externalReference, refusalOf(acceptance.kind))
}

/** Refuses by every rule that needs no write: not by a used reference, not by a short wallet. */
export async function checkPayout(
  parts: AcceptParts,
  caller: PayoutCaller,
  request: PayoutRequest,
): Promise<void> {
  checkReference(request.externalReference)
  await preparePayout(parts, caller, request)
}

function checkReference(externalReference: string): void {
  if (/\p{Cc}/u.test(externalReference)) {
    throw validationError('externalReference must not have control characters.')
  }
}

/** A repeat is told so, even where the rules of today would refuse it for another reason. */
async function answerRepeat(
  { db }: AcceptParts,
  caller: PayoutCaller,
  externalReference: string,
  refusal: AppError,
): Promise<AcceptedPayout> {
  const repeat = await findRepeat(db, caller, externalReference)
  if (repeat === undefined) throw refusal
  if (repeat instanceof AppError) throw repeat
  return repeat
}

function refusalOf(kind: Exclude<Acceptance['kind'], 'accepted'>): AppError {
  switch (kind) {
    case 'insufficient':
      return new AppError('INSUFFICIENT_FUNDS')
    case 'key reused':
      return new AppError('IDEMPOTENCY_KEY_REUSED')
    default:
      return new AppError('E-API-D.S-28')
  }
}

/** All rules, in memory but for a stored beneficiary: nothing is written here. */
async function preparePayout(
  parts: AcceptParts,
  caller: PayoutCaller,
  request: PayoutRequest,
): Promise<NewTransaction> {
  const { destination, beneficiaryId } = await findDestination(parts, caller, request)
  const { currency, country } = destination
  const method: Method = destination.destination === 'Bank Account' ? 'bank' : 'momo'
  const amount = requestedMinor(request.amount, currency)
  const { environment } = caller
  const rail = chooseRail(parts.routing, { ...destination, environment, method, amount })
  const { debitCurrency, debitCountry } = request
  const scope = debitScope({ currency, country, debitCurrency, debitCountry })
  const cost = parts.rates.costOf({
    ...{ amountMinor: amount, currency, debitCurrency: scope.currency },
    environment: caller.environment,
  })
  const walletId = await parts.walletIds.find(caller, scope)
  if (walletId === undefined) throw new AppError('INSUFFICIENT_FUNDS')
  const id = parts.ids.next(caller.slot)
  const { externalReference } = request
  const { accountId, slot } = caller
  const at = new Date(parts.clock.now())
  const payout = {
    ...{ id, slot, accountId, environment, externalReference, method, amount, ...destination },
    ...{ walletId, walletCurrency: scope.currency, walletAmount: cost.debitMinor, rail },
    exchangeRate: scope.currency === currency ? null : cost.rate,
    fee: caller.feeOf(method, scope.currency, cost.debitMinor),
    beneficiaryId,
    idempotency: caller.idempotency,
    kind: 'payout',
    state: 'accepted',
    createdAt: at,
    dueAt: at,
  } as const
  const event = 'transaction_created' as const
  const data = eventDataOf(payout, 'pending')
  return { ...payout, event: { id: parts.ids.next(slot), transactionId: id, event, data } }
}

async function findDestination(
  { db, reference }: AcceptParts,
  owner: Owner,
  request: PayoutRequest,
): Promise<{ destination: CheckedDestination; beneficiaryId: string | null }> {
  const { externalAccountId, currency, country, destination, payoutMethod } = request
  if (externalAccountId !== undefined) {
    const { type, ...stored } = await findBeneficiary(db, owner, externalAccountId)
    if (type !== 'payout') {
      throw validationError('externalAccountId is an external account for deposits, not payouts.')
    }
    mustAgree('currency', currency, stored.currency)
    mustAgree('country', country, stored.country)
    mustAgree('destination', destination, stored.destination)
    return { destination: onlyDestination(stored), beneficiaryId: stored.id }
  }
  if (currency === undefined) throw validationError('currency is required.')
  if (country === undefined) throw validationError('country is required.')
  if (destination === undefined) throw validationError('destination is required.')
  if (payoutMethod === undefined) {
    throw validationError('payoutMethod is required, or else externalAccountId.')
  }
  const asked = { currency, country, destination, payoutMethod }
  return { destination: checkPayoutMethod(asked, reference), beneficiaryId: null }
}

function onlyDestination(stored: CheckedDestination): CheckedDestination {
  const { country, currency, destination, accountName, accountNumber } = stored
  const { code, branchCode, businessNumber } = stored
  return {
    ...{ country, currency, destination, accountName, accountNumber },
    ...{ code, branchCode, businessNumber },
  }
}

function mustAgree(field: string, said: string | undefined, stored: string): void {
  if (said === undefined || said.trim().toLowerCase() === stored.toLowerCase()) return
  throw validationError(`${field} must agree with the external account, which has ${stored}.`)
}

/** The first rail of the route whose limits allow the amount. */
function chooseRail(
  routing: Routing,
  payout: CheckedDestination & { environment: Environment; method: Method; amount: bigint },
): string {
  const [first] = railsOf(routing, payout)
  if (first) return first.rail.name
  const isServed = routeOf(routing, payout).length > 0
  throw new AppError(isServed ? 'AMOUNT_OUT_OF_BOUNDS' : 'PROVIDER_NOT_FOUND')
}
