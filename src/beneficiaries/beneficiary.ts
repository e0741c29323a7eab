import type { Fragment, Sql } from '../db/pool.ts'
import type { CheckedDestination } from './payout-method.ts'

/** A payout goes to one, a deposit comes from one. */
export const beneficiaryTypes = ['payout', 'deposit'] as const
export type BeneficiaryType = (typeof beneficiaryTypes)[number]

/** An external account, as callers know it. */
export type Beneficiary = CheckedDestination & {
  id: string
  type: BeneficiaryType
  createdAt: Date
}

export const beneficiaryColumns = (sql: Sql): Fragment => sql`id, type, country, currency,
  destination, account_name as "accountName", account_number as "accountNumber", code,
  branch_code as "branchCode", business_number as "businessNumber", created_at as "createdAt"`
