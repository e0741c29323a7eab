import { findBeneficiary } from '../beneficiaries/find.ts'
import type { Db } from '../db/pool.ts'
import { AppError, validationError } from '../errors.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { CurrencyInfo } from '../money/currencies.ts'
import { phoneDigits } from '../reference/phone-numbers.ts'
import type { Reference } from '../reference/reference.ts'
import { type ChargeDraft, chargeCurrency, sendWithinMs } from './prepare.ts'
import { httpUrl } from './urls.ts'

export type MomoRequest = {
  amount: number
  currency: string
  externalReference: string
  phoneNumber?: string | undefined
  externalAccountId?: string | undefined
  momoOperatorId?: string | undefined
  otpCode?: string | undefined
  walletCurrency?: string | undefined
  voucherPin?: string | undefined
  successRedirectUrl?: string | undefined
  failureRedirectUrl?: string | undefined
}

export type MomoDraft = ChargeDraft & { code: string | null }

const deadlineMs = 15 * 60_000
/** A voucher that is bought in a shop and pays in Botswana. */
const voucherOperator = 'ott'
/** Operators that want a code the customer makes before the charge, by country. */
const codeFirst = new Set(['BF orange'])

export async function readMomoRequest(
  { db, reference }: { db: Db; reference: Reference },
  owner: Owner,
  request: MomoRequest,
): Promise<MomoDraft> {
  const currency = chargeCurrency(request.currency)
  const payer = await findPayer(db, owner, request, currency)
  const operator = operatorOf(reference, currency, payer, request)
  const code = codeOf(request, payer.country, operator)
  const { amount, externalReference, walletCurrency } = request
  return {
    ...{ amount, externalReference, walletCurrency, currency, operator, code, deadlineMs },
    ...{ country: payer.country, method: 'momo', destination: 'MoMo' },
    ...{ accountName: payer.name, accountNumber: payer.phoneNumber },
    beneficiaryId: payer.beneficiaryId,
    details: {
      ...httpUrl('successRedirectUrl', request.successRedirectUrl),
      ...httpUrl('failureRedirectUrl', request.failureRedirectUrl),
      ...(code === null ? {} : { hadCode: true as const }),
    },
    // A code is for one use and is not written down, so whoever has it sends it.
    ...(code === null ? {} : { sendWithinMs }),
  }
}

type Payer = {
  phoneNumber: string
  country: string
  name: string
  operator: string | null
  beneficiaryId: string | null
}

async function findPayer(
  db: Db,
  owner: Owner,
  { phoneNumber, externalAccountId }: MomoRequest,
  currency: CurrencyInfo,
): Promise<Payer> {
  if (externalAccountId === undefined) {
    if (phoneNumber !== undefined) return payerOfNumber(phoneNumber, currency)
    throw validationError('phoneNumber is required, or else externalAccountId.')
  }
  const stored = await findBeneficiary(db, owner, externalAccountId)
  if (stored.type !== 'deposit') {
    throw validationError('externalAccountId must be an external account of type deposit.')
  }
  if (stored.currency !== currency.code) {
    throw validationError(`currency must agree with the external account: ${stored.currency}.`)
  }
  const { accountNumber, country, accountName: name, code: operator, id } = stored
  if (phoneNumber !== undefined && phoneDigits(phoneNumber, country) !== accountNumber) {
    throw validationError('phoneNumber must agree with the external account.')
  }
  return { phoneNumber: accountNumber, country, name, operator, beneficiaryId: id }
}

/** A currency of several countries is paid from the one the number belongs to. */
function payerOfNumber(text: string, currency: CurrencyInfo): Payer {
  for (const country of currency.scopes) {
    const phoneNumber = phoneDigits(text, country)
    if (phoneNumber) return { phoneNumber, country, name: '', operator: null, beneficiaryId: null }
  }
  throw validationError(
    `phoneNumber must be a mobile number of a country that uses ${currency.code}.`,
  )
}

function operatorOf(
  reference: Reference,
  currency: CurrencyInfo,
  { country, operator }: Payer,
  { momoOperatorId }: MomoRequest,
): string | null {
  const wanted = momoOperatorId?.trim() || operator
  if (!wanted) {
    if (currency.code !== 'KES') throw new AppError('MOMO_OPERATOR_ID_REQUIRED')
    return null
  }
  if (currency.code === 'BWP' && wanted.toLowerCase() === voucherOperator) return voucherOperator
  const known = reference.operator(country, wanted)
  if (!known) throw validationError(`momoOperatorId must be a mobile money operator of ${country}.`)
  return known.id
}

function codeOf(
  { otpCode, voucherPin }: MomoRequest,
  country: string,
  operator: string | null,
): string | null {
  if (operator === voucherOperator) {
    if (voucherPin === undefined) throw validationError('voucherPin is required for OTT vouchers.')
    if (/^[A-Za-z0-9]{12,16}$/.test(voucherPin)) return voucherPin
    throw validationError('voucherPin must have 12 to 16 letters or digits.')
  }
  if (otpCode !== undefined && !/^\d{4,10}$/.test(otpCode)) {
    throw validationError('otpCode must have 4 to 10 digits.')
  }
  if (otpCode === undefined && codeFirst.has(`${country} ${operator}`)) {
    throw new AppError('MOMO_CODE_REQUIRED')
  }
  return otpCode ?? null
}
