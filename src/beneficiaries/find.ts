import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { type Beneficiary, beneficiaryColumns } from './beneficiary.ts'

type Options = { forUpdate?: boolean }

/** The external account with that id. One that is deleted or another's is missing like any. */
export async function findBeneficiary(
  sql: Sql,
  owner: Owner,
  id: string,
  { forUpdate = false }: Options = {},
): Promise<Beneficiary> {
  if (slotOf(id) !== owner.slot) throw new AppError('E-BEN.S-90')
  const [found] = await sql<Beneficiary[]>`
    select ${beneficiaryColumns(sql)} from beneficiaries
    where slot = ${owner.slot} and id = ${id} and account_id = ${owner.accountId}
      and deleted_at is null
    ${forUpdate ? sql`for update` : sql``}`
  if (!found) throw new AppError('E-BEN.S-90')
  return found
}
