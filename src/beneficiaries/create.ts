import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { type Ids, timeOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { DestinationCodes } from './payout-method.ts'
import { type BeneficiaryRequest, checkRequest } from './request.ts'

/** Stores an external account and answers with its id. The same account again is refused. */
export async function createBeneficiary(
  sql: Sql,
  ids: Ids,
  codes: DestinationCodes,
  owner: Owner,
  request: BeneficiaryRequest,
): Promise<string> {
  const { accountName, accountNumber, branchCode, businessNumber, ...checked } = checkRequest(
    request,
    codes,
  )
  const id = ids.next(owner.slot)
  const now = new Date(timeOf(id))
  // Of two equal requests at once the key lets one through.
  const [created] = await sql`
    insert into beneficiaries ${sql({
      slot: owner.slot,
      id,
      account_id: owner.accountId,
      ...checked,
      account_name: accountName,
      account_number: accountNumber,
      branch_code: branchCode,
      business_number: businessNumber,
      created_at: now,
      updated_at: now,
    })}
    on conflict do nothing
    returning id`
  if (!created) throw new AppError('E-BEN.S-35')
  return id
}
