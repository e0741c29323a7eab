import { AppError, validationError } from '../errors.ts'
import { type BeneficiaryType, beneficiaryTypes } from './beneficiary.ts'
import {
  type CheckedDestination,
  checkPayoutMethod,
  checkPlace,
  type DestinationCodes,
  type FieldNames,
  flatNames,
  given,
  type PayoutMethodInput,
  requireBranchCode,
} from './payout-method.ts'

type Details = {
  destination?: string | undefined
  momoOperatorId?: string | undefined
  payoutMethod?: PayoutMethodInput | undefined
}

/** The details stand in the payload, or flat beside the country as in an update. */
export type BeneficiaryRequest = Details & {
  country: string
  currency: string
  type?: string | undefined
  payload?:
    | (Details & {
        firstName?: string | undefined
        lastName?: string | undefined
        phoneNumber?: string | undefined
      })
    | undefined
}

export type CheckedBeneficiary = CheckedDestination & { type: BeneficiaryType }

/** One meaning for every shape a new external account may come in. */
export function checkRequest(
  request: BeneficiaryRequest,
  codes: DestinationCodes,
): CheckedBeneficiary {
  const place = checkPlace(request)
  const type = checkType(request.type)
  const names = namesIn(request)
  const destination = destinationOf(request, type, place.country, names)
  const payoutMethod = methodOf(request, destination, names)
  const input = { ...place, destination, payoutMethod }
  const checked = checkPayoutMethod(input, codes, { names, deriveOperator: true })
  requireOriginOfDeposits(type, checked)
  return { type, ...checked }
}

/** Only mobile money can be asked to pay: from a bank it is the customer who sends. */
export function requireOriginOfDeposits(
  type: BeneficiaryType,
  { destination }: CheckedDestination,
): void {
  if (type !== 'deposit' || destination === 'MoMo') return
  throw new AppError('UNSUPPORTED_DESTINATION', {
    message: 'An external account of type deposit must have the destination MoMo.',
  })
}

function checkType(text: string | undefined): BeneficiaryType {
  const wanted = given(text)?.toLowerCase() ?? 'payout'
  const type = beneficiaryTypes.find((each) => each === wanted)
  if (!type) throw validationError(`type must be one of ${beneficiaryTypes.join(', ')}.`)
  return type
}

function namesIn({ payload }: BeneficiaryRequest): FieldNames {
  if (!payload) return { ...flatNames }
  const entries = Object.entries(flatNames).map(([field, name]) => [field, `payload.${name}`])
  return Object.fromEntries(entries) as FieldNames
}

function destinationOf(
  { payload, destination, payoutMethod }: BeneficiaryRequest,
  type: BeneficiaryType,
  country: string,
  names: FieldNames,
): string {
  const wanted = given(payload?.destination) ?? given(destination)
  if (wanted !== undefined) return wanted
  if (type === 'deposit') return 'MoMo'
  // It may be meant for a bank, so what a bank needs there has to be known.
  const branchCode = given(payload?.payoutMethod?.branchCode) ?? given(payoutMethod?.branchCode)
  requireBranchCode(country, branchCode)
  if (given(payload?.phoneNumber) !== undefined) return 'MoMo'
  if (branchCode !== undefined) return 'Bank Account'
  throw validationError(`${names.destination} is required.`)
}

/** The fields that name a person and a phone stand for the account's name and number. */
function methodOf(
  { payload, ...flat }: BeneficiaryRequest,
  destination: string,
  names: FieldNames,
): PayoutMethodInput {
  const method = { ...flat.payoutMethod, ...payload?.payoutMethod }
  const isMobileMoney = destination.toLowerCase() === 'momo'
  if (payload && given(method.accountName) === undefined && isOfPerson(payload, isMobileMoney)) {
    method.accountName = `${named(payload, 'firstName')} ${named(payload, 'lastName')}`
  }
  if (payload && given(method.accountNumber) === undefined && isMobileMoney) {
    if (!payload.payoutMethod || payload.phoneNumber !== undefined) {
      names.accountNumber = 'payload.phoneNumber'
    }
    method.accountNumber = payload.phoneNumber
  }
  if (given(method.code) === undefined && isMobileMoney) {
    const inPayload = given(payload?.momoOperatorId)
    if (inPayload !== undefined) names.code = 'payload.momoOperatorId'
    else if (given(flat.momoOperatorId) !== undefined) names.code = 'momoOperatorId'
    method.code = inPayload ?? flat.momoOperatorId
  }
  return method
}

type Payload = NonNullable<BeneficiaryRequest['payload']>

function isOfPerson(payload: Payload, isMobileMoney: boolean): boolean {
  const { firstName, lastName, phoneNumber, payoutMethod } = payload
  if (firstName !== undefined || lastName !== undefined) return true
  return isMobileMoney && (phoneNumber !== undefined || !payoutMethod)
}

function named(payload: Payload, field: 'firstName' | 'lastName'): string {
  const name = given(payload[field])
  if (name === undefined) throw validationError(`payload.${field} is required.`)
  return name
}
