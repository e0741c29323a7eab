import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { WalletIds } from '../ledger/wallet-ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { type CurrencyInfo, currency as currencyInfo } from '../money/currencies.ts'
import type { Method } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import type { Rates } from '../reference/rates.ts'
import type { NewTransaction } from '../transactions/new-transaction.ts'
import { requestedMinor } from '../transactions/requested-amount.ts'
import type { ChargeDetails } from './charge.ts'
import { eventDataOf } from './outcomes.ts'

/** Whoever asks for a charge, and what their fee plan says. */
export type ChargeCaller = Owner & {
  feeOf(method: Method, currency: string, amountMinor: bigint): bigint
  idempotency: NewTransaction['idempotency']
}

export type PrepareParts = {
  clock: Clock
  ids: Ids
  routing: Routing
  rates: Rates
  walletIds: WalletIds
}

/** What the three kinds of charge have in common once their own fields are understood. */
export type ChargeDraft = {
  externalReference: string
  amount: number
  currency: CurrencyInfo
  country: string
  method: Method
  destination: string
  accountName: string
  accountNumber: string
  operator: string | null
  walletCurrency: string | undefined
  beneficiaryId: string | null
  details: ChargeDetails
  deadlineMs: number
  /** Sent by whoever records it, within this time; otherwise the worker sends it. */
  sendWithinMs?: number
}

/** So long a charge belongs to the request that brought it; then workers ask what became of it. */
export const sendWithinMs = 60_000

export function chargeCurrency(code: string): CurrencyInfo {
  const info = currencyInfo(code.trim().toUpperCase())
  if (!info) throw new AppError('UNSUPPORTED_CURRENCY')
  return info
}

/** Prices the charge and finds its wallet; a wallet that is missing is opened for it. */
export async function prepareCharge(
  parts: PrepareParts,
  caller: ChargeCaller,
  draft: ChargeDraft,
): Promise<NewTransaction> {
  const { accountId, slot, environment } = caller
  const { method, country, externalReference, destination, accountName, accountNumber } = draft
  const currency = draft.currency.code
  const amount = requestedMinor(draft.amount, currency)
  const rail = chooseRail(parts.routing, caller, draft, amount)
  const scope = walletScope(draft)
  const asked = { amountMinor: amount, currency, walletCurrency: scope.currency, environment }
  const { walletMinor, rate } = parts.rates.proceedsOf(asked)
  if (walletMinor <= 0n) throw new AppError('AMOUNT_OUT_OF_BOUNDS')
  const walletId = await parts.walletIds.findOrOpen(caller, scope)
  const at = new Date(parts.clock.now())
  const id = parts.ids.next(slot)
  const charge = {
    ...{ id, slot, accountId, environment, externalReference, method, destination, country },
    ...{ currency, amount, accountName, accountNumber, code: draft.operator, rail },
    ...{ walletId, walletCurrency: scope.currency, walletAmount: walletMinor },
    kind: 'charge' as const,
    state: draft.sendWithinMs === undefined ? 'accepted' : 'submitting',
    submits: draft.sendWithinMs === undefined ? 0 : 1,
    fee: cappedFee(caller, method, scope.currency, walletMinor),
    exchangeRate: scope.currency === currency ? null : rate,
    beneficiaryId: draft.beneficiaryId,
    branchCode: null,
    businessNumber: null,
    idempotency: caller.idempotency,
    createdAt: at,
    dueAt: new Date(at.getTime() + (draft.sendWithinMs ?? 0)),
    deadlineAt: new Date(at.getTime() + draft.deadlineMs),
    details: draft.details,
  }
  const event = 'transaction_created' as const
  const data = eventDataOf(charge, 'pending')
  return { ...charge, event: { id: parts.ids.next(slot), transactionId: id, event, data } }
}

/** A fee never takes more than came in. */
export function cappedFee(
  { feeOf }: Pick<ChargeCaller, 'feeOf'>,
  method: Method,
  currency: string,
  walletMinor: bigint,
): bigint {
  const fee = feeOf(method, currency, walletMinor)
  return fee < walletMinor ? fee : walletMinor
}

function walletScope({ walletCurrency, currency, country }: ChargeDraft) {
  const info = walletCurrency ? currencyInfo(walletCurrency.trim().toUpperCase()) : currency
  if (!info) throw new AppError('WALLET_CURRENCY_NOT_SUPPORTED')
  const scope = info.scopes.includes(country) ? country : info.defaultScope
  return { currency: info.code, country: scope }
}

function chooseRail(
  routing: Routing,
  { environment }: Owner,
  { method, country, currency, operator }: ChargeDraft,
  amount: bigint,
): string {
  const routed = routing.railsFor({
    ...{ environment, direction: 'charge', method, country, currency: currency.code },
    operator,
  })
  const [first] = routed
  if (!first) throw new AppError('PROVIDER_NOT_FOUND')
  const { minMinor, maxMinor } = first.route
  if (amount < minMinor || amount > maxMinor) throw new AppError('AMOUNT_OUT_OF_BOUNDS')
  return first.rail.name
}
