import type { Fragment, Sql } from '../db/pool.ts'
import { timeOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { decimalFromMinor } from '../money/amounts.ts'
import { recordColumns, type TransactionRecord } from './record.ts'

/** A transaction as people see it: with its state within its status, and its rail. */
export type TransactionRow = TransactionRecord & {
  state: string
  rail: string | null
  beneficiaryId: string | null
  linkedId: string | null
  deadlineAt: Date | null
}

export const rowColumns = (sql: Sql): Fragment => sql`${recordColumns(sql)}, t.state, t.rail,
  t.beneficiary_id as "beneficiaryId", t.linked_id as "linkedId", t.deadline_at as "deadlineAt"`

/** In the order of the ids. */
export async function rowsOf(
  sql: Sql,
  { slot, accountId }: Owner,
  ids: readonly string[],
): Promise<TransactionRow[]> {
  if (ids.length === 0) return []
  const rows = await sql<TransactionRow[]>`
    select ${rowColumns(sql)} from transactions t
    where t.slot = ${slot} and t.id = any(${ids}::uuid[]) and t.account_id = ${accountId}`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The references of those ids that are transactions of the account. */
export async function referencesOf(
  sql: Sql,
  { slot, accountId }: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; reference: string }[]>`
    select id, external_reference as reference from transactions
    where slot = ${slot} and id = any(${[...new Set(ids)]}::uuid[]) and account_id = ${accountId}`
  return new Map(rows.map(({ id, reference }) => [id, reference]))
}

export function showRow(row: TransactionRow) {
  const { id, kind, status, state, method, rail, country, destination, currency } = row
  const { walletCurrency, accountName, accountNumber, failureReason } = row
  return {
    ...{ id, reference: row.externalReference, kind, status, state, method, rail },
    ...{ country, destination, currency, walletCurrency, accountName, accountNumber },
    amount: decimalFromMinor(row.amount, currency),
    walletAmount: decimalFromMinor(row.walletAmount, walletCurrency),
    fee: decimalFromMinor(row.fee, walletCurrency),
    failureReason,
    createdAt: new Date(timeOf(id)).toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
