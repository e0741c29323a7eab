import type { Sql } from '../db/pool.ts'
import { validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { type Beneficiary, beneficiaryColumns } from './beneficiary.ts'

export type BeneficiaryPage = { limit?: number | undefined; after?: string | undefined }

/** Newest first: all of them, or those after one of them. */
export async function listBeneficiaries(
  sql: Sql,
  owner: Owner,
  { limit, after }: BeneficiaryPage,
): Promise<Beneficiary[]> {
  if (after !== undefined) await checkCursor(sql, owner, after)
  return await sql<Beneficiary[]>`
    select ${beneficiaryColumns(sql)} from beneficiaries
    where slot = ${owner.slot} and account_id = ${owner.accountId} and deleted_at is null
      ${after === undefined ? sql`` : sql`and id < ${after}`}
    order by id desc
    limit ${limit ?? null}`
}

/** One that was deleted meanwhile still marks its place in the list. */
async function checkCursor(sql: Sql, { slot, accountId }: Owner, after: string): Promise<void> {
  const [found] =
    slotOf(after) === slot
      ? await sql`
          select from beneficiaries
          where slot = ${slot} and id = ${after} and account_id = ${accountId}`
      : []
  if (!found) throw validationError('after must be the id of an external account.')
}
