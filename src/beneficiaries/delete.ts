import type { Clock } from '../clock.ts'
import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'

/** Gone for every endpoint, and kept for the transactions that name it. */
export async function deleteBeneficiary(
  sql: Sql,
  clock: Clock,
  owner: Owner,
  id: string,
): Promise<void> {
  const now = new Date(clock.now())
  const [deleted] =
    slotOf(id) === owner.slot
      ? await sql`
          update beneficiaries set deleted_at = ${now}, updated_at = ${now}
          where slot = ${owner.slot} and id = ${id} and account_id = ${owner.accountId}
            and deleted_at is null
          returning id`
      : []
  if (!deleted) throw new AppError('E-BEN.S-90')
}
