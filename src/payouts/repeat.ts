import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { NewTransaction } from '../transactions/new-transaction.ts'

export type AcceptedPayout = { id: string; amount: bigint; currency: string; replayed: boolean }

type Row = {
  id: string
  amount: bigint
  currency: string
  key: string | null
  hash: Buffer | null
}

/** What was answered to a request that was here before, or why its repeat is refused. */
export async function findRepeat(
  db: Db,
  { slot, accountId, idempotency }: Owner & Pick<NewTransaction, 'idempotency'>,
  externalReference: string,
): Promise<AcceptedPayout | AppError | undefined> {
  const key = idempotency?.key ?? null
  const rows = await db<Row[]>`
    select id, amount, currency, idempotency_key as key, request_hash as hash from transactions
    where slot = ${slot} and account_id = ${accountId}
      and (external_reference = ${externalReference} or idempotency_key = ${key}::text)`
  const keyed = idempotency ? rows.find((row) => row.key === key) : undefined
  if (keyed?.hash?.equals(idempotency!.requestHash)) {
    const { id, amount, currency } = keyed
    return { id, amount, currency, replayed: true }
  }
  if (keyed) return new AppError('IDEMPOTENCY_KEY_REUSED')
  return rows.length > 0 ? new AppError('E-API-D.S-28') : undefined
}
