import type { Fragment, Sql } from '../db/pool.ts'

export type TransactionKind = 'payout' | 'charge' | 'reversal'
export const transactionStatuses = ['pending', 'successful', 'failed'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** A transaction as far as its merchant may see it, amounts in minor units. */
export type TransactionRecord = {
  id: string
  kind: TransactionKind
  status: TransactionStatus
  externalReference: string
  method: 'momo' | 'bank' | 'card'
  destination: string
  country: string
  currency: string
  amount: bigint
  walletCurrency: string
  /** What the wallet gives or gets, fee apart. */
  walletAmount: bigint
  /** In the currency of the wallet. */
  fee: bigint
  /** A decimal number as text. */
  exchangeRate: string | null
  accountName: string
  accountNumber: string
  code: string | null
  failureReason: string | null
  stepRequired: string | null
  redirectUrl: string | null
  providerReference: string | null
  updatedAt: Date
}

export const recordColumns = (sql: Sql): Fragment => sql`t.id, t.kind, t.status,
  t.external_reference as "externalReference", t.method, t.destination, t.country, t.currency,
  t.amount, t.wallet_currency as "walletCurrency", t.wallet_amount as "walletAmount", t.fee,
  t.exchange_rate as "exchangeRate", t.account_name as "accountName",
  t.account_number as "accountNumber", t.code, t.failure_reason as "failureReason",
  t.step_required as "stepRequired", t.redirect_url as "redirectUrl",
  t.provider_reference as "providerReference", t.updated_at as "updatedAt"`
