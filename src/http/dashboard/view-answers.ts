import Type, { type TSchema } from 'typebox'
import type { SuspenseItem } from '../../charges/resolve-suspense.ts'
import type { Wallet } from '../../ledger/wallets.ts'
import { decimalFromMinor } from '../../money/amounts.ts'

/** The shapes that several views share. Amounts are decimal texts, times are ISO 8601 in UTC. */

export const Text = Type.String()
export const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const TextOrNull = OrNull(Text)
export const IdParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) })

export const answerOf = <Schema extends TSchema>(data: Schema) =>
  Type.Object({ success: Type.Literal(true), data })
export const listOf = <Schema extends TSchema>(item: Schema) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(item), next: TextOrNull })

export const maxPage = 100
export const defaultPage = 50
export const After = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
export const Limit = Type.Integer({ minimum: 1, maximum: maxPage, default: defaultPage })
/** A day such as 2026-01-31, or a moment. */
export const Moment = Type.Optional(Type.String({ minLength: 1, maxLength: 40 }))

export const timeOrNull = (time: Date | null): string | null => time?.toISOString() ?? null

export const WalletView = Type.Object({
  id: Text,
  currency: Text,
  country: Text,
  balance: Text,
  reserved: Text,
})

export function showWallet({ id, currency, country, available, held }: Wallet) {
  return {
    ...{ id, currency, country },
    balance: decimalFromMinor(available, currency),
    reserved: decimalFromMinor(held, currency),
  }
}

export const TransactionView = Type.Object({
  id: Text,
  reference: Text,
  kind: Text,
  status: Text,
  state: Text,
  method: Text,
  rail: TextOrNull,
  country: Text,
  destination: Text,
  amount: Text,
  currency: Text,
  walletAmount: Text,
  walletCurrency: Text,
  fee: Text,
  accountName: Text,
  accountNumber: Text,
  failureReason: TextOrNull,
  createdAt: Text,
  updatedAt: Text,
})

export const SuspenseView = Type.Object({
  id: Text,
  at: Text,
  rail: Text,
  currency: Text,
  amount: Text,
  story: Text,
  reference: TextOrNull,
  transactionId: TextOrNull,
  state: Text,
})

export function showSuspense(item: SuspenseItem) {
  const { id, rail, currency, story, transactionId, state } = item
  return {
    ...{ id, rail, currency, story, transactionId, state },
    at: item.createdAt.toISOString(),
    amount: decimalFromMinor(item.amount, currency),
    reference: item.externalReference ?? item.reference,
  }
}
