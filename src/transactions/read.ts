import { AppError } from '../errors.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { TransactionReads } from './reads.ts'
import type { TransactionRecord } from './record.ts'

/** By our id or by the merchant's reference, which may look like an id too. */
export async function readTransaction(
  reads: TransactionReads,
  owner: Owner,
  idOrReference: string,
): Promise<TransactionRecord> {
  const record =
    (await reads.byId(owner, idOrReference)) ?? (await reads.byReference(owner, idOrReference))
  if (!record) throw new AppError('TRANSACTION_NOT_FOUND')
  return record
}
