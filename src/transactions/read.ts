import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { recordColumns, type TransactionRecord } from './record.ts'

/** By our id or by the merchant's reference, which may look like an id too. */
export async function readTransaction(
  sql: Sql,
  owner: Owner,
  idOrReference: string,
): Promise<TransactionRecord> {
  const record =
    (await findById(sql, owner, idOrReference)) ??
    (await findByReference(sql, owner, idOrReference))
  if (!record) throw new AppError('TRANSACTION_NOT_FOUND')
  return record
}

async function findById(
  sql: Sql,
  { slot, accountId }: Owner,
  id: string,
): Promise<TransactionRecord | undefined> {
  if (slotOf(id) !== slot) return undefined
  const [record] = await sql<TransactionRecord[]>`
    select ${recordColumns(sql)} from transactions t
    where t.slot = ${slot} and t.id = ${id} and t.account_id = ${accountId}`
  return record
}

export async function findByReference(
  sql: Sql,
  { slot, accountId }: Owner,
  reference: string,
): Promise<TransactionRecord | undefined> {
  // PostgreSQL takes no such text, so no record can have it.
  if (reference.includes('\0')) return undefined
  const [record] = await sql<TransactionRecord[]>`
    select ${recordColumns(sql)} from transactions t
    where t.slot = ${slot} and t.account_id = ${accountId}
      and t.external_reference = ${reference}`
  return record
}
