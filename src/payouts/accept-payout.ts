import { findBeneficiary } from '../beneficiaries/find.ts'
import {
  type CheckedDestination,
  checkPayoutMethod,
  type PayoutMethodInput,
} from '../beneficiaries/payout-method.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { AppError, validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { minorFromNumber } from '../money/amounts.ts'
import { MoneyError } from '../money/money-error.ts'
import type { Method } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { Reference } from '../reference/reference.ts'
import type { NewTransaction } from '../transactions/new-transaction.ts'
import type { Acceptance, PayoutAcceptance } from './accept-store.ts'
import { debitScope } from './debit.ts'
import { eventDataOf } from './outcomes.ts'
import type { WalletIds } from './wallet-ids.ts'

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

export type AcceptedPayout = { id: string; amount: bigint; currency: string; replayed: boolean }

/** Takes a payout, or refuses it with a reason and without a trace. */
export async function acceptPayout(
  parts: AcceptParts,
  caller: PayoutCaller,
  request: PayoutRequest,
): Promise<AcceptedPayout> {
  let payout: NewTransaction
  try {
    payout = await preparePayout(parts, caller, request)
  } catch (error) {
    // A repeat is told so, even where the rules of today would refuse it for another reason.
    if (error instanceof AppError && (await isUsed(parts.db, caller, request.externalReference))) {
      throw new AppError('E-API-D.S-28')
    }
    throw error
  }
  const acceptance = await parts.acceptance.submit(payout)
  return answerOf(parts, payout, acceptance)
}

function answerOf(
  parts: AcceptParts,
  { id, amount, currency }: NewTransaction,
  acceptance: Acceptance,
): AcceptedPayout {
  switch (acceptance.kind) {
    case 'accepted':
      parts.onAccepted()
      return { id, amount, currency, replayed: false }
    case 'replayed':
      return { id: acceptance.id, amount, currency, replayed: true }
    case 'insufficient':
      throw new AppError('INSUFFICIENT_FUNDS')
    case 'reference used':
      throw new AppError('E-API-D.S-28')
    case 'key reused':
      throw new AppError('IDEMPOTENCY_KEY_REUSED')
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
  const amount = amountOf(request.amount, currency)
  const rail = chooseRail(parts.routing, caller, { ...destination, method }, amount)
  const { debitCurrency, debitCountry } = request
  const scope = debitScope({ currency, country, debitCurrency, debitCountry })
  const cost = parts.rates.costOf({
    ...{ amountMinor: amount, currency, debitCurrency: scope.currency },
  })
  const walletId = await parts.walletIds.find(caller, scope)
  if (walletId === undefined) throw new AppError('INSUFFICIENT_FUNDS')
  const id = parts.ids.next(caller.slot)
  const { externalReference } = request
  const { accountId, slot, environment } = caller
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

function amountOf(value: number, currency: string): bigint {
  try {
    return minorFromNumber(value, currency)
  } catch (error) {
    if (error instanceof MoneyError) throw validationError(`amount ${error.message}.`)
    throw error
  }
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
  { environment }: Owner,
  destination: CheckedDestination & { method: Method },
  amount: bigint,
): string {
  const { method, country, currency, code: operator } = destination
  const routed = routing.railsFor({
    ...{ environment, direction: 'payout', method, country, currency },
    operator,
  })
  if (routed.length === 0) throw new AppError('PROVIDER_NOT_FOUND')
  const fits = routed.every(({ route }) => amount >= route.minMinor && amount <= route.maxMinor)
  if (!fits) throw new AppError('AMOUNT_OUT_OF_BOUNDS')
  return routed[0]!.rail.name
}

async function isUsed(db: Db, owner: Owner, externalReference: string): Promise<boolean> {
  const rows = await db`
    select 1 from transactions
    where slot = ${owner.slot} and account_id = ${owner.accountId}
      and external_reference = ${externalReference}`
  return rows.length > 0
}
