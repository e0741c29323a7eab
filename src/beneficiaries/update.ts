import type { Clock } from '../clock.ts'
import { isUniqueViolation } from '../db/faults.ts'
import type { Db, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Beneficiary } from './beneficiary.ts'
import { findBeneficiary } from './find.ts'
import {
  type CheckedDestination,
  checkPayoutMethod,
  type DestinationCodes,
  type DestinationInput,
  given,
  type PayoutMethodInput,
} from './payout-method.ts'
import { requireOriginOfDeposits } from './request.ts'

/** What is absent stays as it is. */
export type BeneficiaryChange = {
  country?: string | undefined
  currency?: string | undefined
  destination?: string | undefined
  payoutMethod?: PayoutMethodInput | undefined
}

export async function updateBeneficiary(
  db: Db,
  clock: Clock,
  codes: DestinationCodes,
  owner: Owner,
  id: string,
  change: BeneficiaryChange,
): Promise<void> {
  try {
    await transaction(db, async (tx) => {
      const before = await findBeneficiary(tx, owner, id, { forUpdate: true })
      const after = checkChange(before, change, codes)
      requireOriginOfDeposits(before.type, after)
      await store(tx, owner, id, after, new Date(clock.now()))
    })
  } catch (error) {
    if (isUniqueViolation(error, 'beneficiaries_once')) throw new AppError('E-BEN.S-35')
    throw error
  }
}

/** Codes mean something within their country and destination only, and do not move along. */
function checkChange(
  before: Beneficiary,
  change: BeneficiaryChange,
  codes: DestinationCodes,
): CheckedDestination {
  const country = given(change.country) ?? before.country
  const destination = given(change.destination) ?? before.destination
  const staysInPlace =
    country.toUpperCase() === before.country &&
    destination.toLowerCase() === before.destination.toLowerCase()
  // An operator belongs to its number, so the check itself decides whether it stays.
  const isBank = before.destination === 'Bank Account'
  const kept: PayoutMethodInput = {
    accountName: before.accountName,
    accountNumber: before.accountNumber,
    ...(staysInPlace && {
      code: (isBank && before.code) || '',
      branchCode: before.branchCode ?? '',
      businessNumber: before.businessNumber ?? '',
    }),
  }
  const input: DestinationInput = {
    country,
    currency: given(change.currency) ?? before.currency,
    destination,
    payoutMethod: { ...kept, ...givenFields(change.payoutMethod) },
  }
  return checkPayoutMethod(input, codes, {
    deriveOperator: true,
    ...(staysInPlace && { stored: before }),
  })
}

/** Only these were validated: whatever else a caller put beside them can be anything. */
const fields = ['accountName', 'accountNumber', 'code', 'branchCode', 'businessNumber'] as const

function givenFields(method: PayoutMethodInput = {}): PayoutMethodInput {
  const named = fields.map((field) => [field, method[field]] as const)
  return Object.fromEntries(named.filter(([, text]) => given(text) !== undefined))
}

async function store(
  tx: Tx,
  { slot, accountId }: Owner,
  id: string,
  after: CheckedDestination,
  now: Date,
): Promise<void> {
  await tx`
    update beneficiaries set country = ${after.country}, currency = ${after.currency},
      destination = ${after.destination}, account_name = ${after.accountName},
      account_number = ${after.accountNumber}, code = ${after.code},
      branch_code = ${after.branchCode}, business_number = ${after.businessNumber},
      updated_at = ${now}
    where slot = ${slot} and id = ${id} and account_id = ${accountId}`
}
