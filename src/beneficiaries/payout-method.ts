import { AppError, validationError } from '../errors.ts'
import { currencies, currency as currencyInfo } from '../money/currencies.ts'
import { phoneDigits } from '../reference/phone-numbers.ts'
import type { Reference } from '../reference/reference.ts'

export const destinations = ['MoMo', 'Bank Account', 'Paybill', 'Till'] as const
export type Destination = (typeof destinations)[number]

/** Where money is to go, as a caller says it: nothing of it is believed yet. */
export type PayoutMethodInput = {
  accountName?: string | undefined
  accountNumber?: string | undefined
  code?: string | undefined
  branchCode?: string | undefined
  businessNumber?: string | undefined
}
export type DestinationInput = {
  country: string
  currency: string
  destination: string
  payoutMethod: PayoutMethodInput
}

/** The same after the check: canonical, and whole for its destination. */
export type CheckedDestination = {
  country: string
  currency: string
  destination: Destination
  accountName: string
  accountNumber: string
  /** The operator of MoMo, the bank of a Bank Account. */
  code: string | null
  branchCode: string | null
  businessNumber: string | null
}

/** What is known about operators, banks and branches. */
export type DestinationCodes = Pick<
  Reference,
  'operator' | 'operatorOfNumber' | 'bank' | 'banks' | 'branch' | 'branches'
>

/** How the fields are called in the request, so that a refusal can name them. */
export type FieldNames = Record<keyof PayoutMethodInput | 'destination', string>
export type CheckOptions = {
  names?: FieldNames
  /** Whether an operator that is not given is taken from the number where that is certain. */
  deriveOperator?: boolean
  /** A number and the operator it was said to have: numbers move, so this beats the derived one. */
  stored?: { accountNumber: string; code: string | null }
}

export const flatNames: FieldNames = {
  destination: 'destination',
  accountName: 'payoutMethod.accountName',
  accountNumber: 'payoutMethod.accountNumber',
  code: 'payoutMethod.code',
  branchCode: 'payoutMethod.branchCode',
  businessNumber: 'payoutMethod.businessNumber',
}

const maxNameLength = 201
const bankAccountShape = /^[A-Za-z0-9]{4,34}$/
const codeShape = /^[\w./-]{1,64}$/
/** Shops and companies of Kenya have short numbers. */
const shortNumberShape = /^\d{4,10}$/
/** A paybill's own customers are numbered as it likes. */
const paybillAccountShape = /^[A-Za-z0-9][\w ./#-]{0,63}$/
const countries = new Set(currencies.flatMap((info) => info.countries))
const branchCountries = new Set(['UG', 'TZ'])

/** Everything that can be known about a destination before money is sent there. */
export function checkPayoutMethod(
  input: DestinationInput,
  codes: DestinationCodes,
  options: CheckOptions = {},
): CheckedDestination {
  const { names = flatNames } = options
  const place = checkPlace(input)
  const destination = checkDestination(input.destination, place.country, names)
  const check: Check = { ...place, codes, names, options, given: input.payoutMethod }
  // A branch that is missing is told first: it is what callers from elsewhere do not know of.
  if (destination === 'Bank Account') requireBranchCode(place.country, check.given.branchCode)
  const accountName = checkName(check)
  const none = { code: null, branchCode: null, businessNumber: null }
  return { ...place, destination, accountName, ...none, ...checkers[destination](check) }
}

type Place = { country: string; currency: string }
type Check = Place & {
  codes: DestinationCodes
  names: FieldNames
  options: CheckOptions
  given: PayoutMethodInput
}
type Details = Pick<CheckedDestination, 'accountNumber'> & Partial<CheckedDestination>

const checkers: Record<Destination, (check: Check) => Details> = {
  MoMo: checkMobileMoney,
  'Bank Account': checkBankAccount,
  Paybill: (check) => ({
    accountNumber: checkShape(check, 'accountNumber', paybillAccountShape, 'an account number'),
    businessNumber: checkShape(check, 'businessNumber', shortNumberShape, '4 to 10 digits'),
  }),
  Till: (check) => ({
    accountNumber: checkShape(check, 'accountNumber', shortNumberShape, '4 to 10 digits'),
  }),
}

/** Country and currency in capitals, when the currency can be paid out there. */
export function checkPlace(input: Place): Place {
  const country = input.country.trim().toUpperCase()
  const currency = input.currency.trim().toUpperCase()
  if (!countries.has(country)) {
    throw validationError('country must be the two-letter code of a supported country.')
  }
  const info = currencyInfo(currency)
  if (!info) throw new AppError('UNSUPPORTED_CURRENCY')
  if (!info.scopes.includes(country)) {
    const message = `The currency ${currency} is not used in ${country}.`
    throw new AppError('UNSUPPORTED_CURRENCY', { message })
  }
  return { country, currency }
}

/** Banks of some countries cannot be paid without naming the branch. */
export function requireBranchCode(country: string, branchCode: string | undefined): void {
  if (branchCountries.has(country) && given(branchCode) === undefined) {
    throw validationError('Branch code is required for UG and TZ.')
  }
}

function checkDestination(text: string, country: string, names: FieldNames): Destination {
  const wanted = text.trim().toLowerCase()
  const destination = destinations.find((each) => each.toLowerCase() === wanted)
  if (!destination) {
    throw validationError(`${names.destination} must be one of ${destinations.join(', ')}.`)
  }
  if ((destination === 'Paybill' || destination === 'Till') && country !== 'KE') {
    throw new AppError('UNSUPPORTED_DESTINATION', {
      message: `${destination} is a destination in KE only.`,
    })
  }
  return destination
}

function checkMobileMoney(check: Check): Details {
  const { country, currency, codes, names } = check
  const number = required(check, 'accountNumber')
  const accountNumber = phoneDigits(number, country)
  if (accountNumber === undefined) {
    throw validationError(`${names.accountNumber} must be a mobile number of ${country}.`)
  }
  const wanted = given(check.given.code)
  if (wanted !== undefined) {
    const operator = codes.operator(country, wanted)
    if (operator) return { accountNumber, code: operator.id }
    throw validationError(`${names.code} must be a mobile money operator of ${country}.`)
  }
  const { stored, deriveOperator } = check.options
  if (stored?.code && stored.accountNumber === accountNumber) {
    return { accountNumber, code: stored.code }
  }
  const derived = deriveOperator ? codes.operatorOfNumber(country, accountNumber) : undefined
  if (derived) return { accountNumber, code: derived.id }
  // In Kenya a number tells who serves it.
  if (currency !== 'KES') throw new AppError('MOMO_OPERATOR_ID_REQUIRED')
  return { accountNumber }
}

function checkBankAccount(check: Check): Details {
  const { country, codes, names } = check
  const accountNumber = checkShape(
    check,
    'accountNumber',
    bankAccountShape,
    '4 to 34 letters and digits',
  )
  const code = checkShape(check, 'code', codeShape, 'a bank code')
  const bank = codes.bank(country, code)
  if (!bank && codes.banks(country).length > 0) {
    throw validationError(`${names.code} must be the code of a bank of ${country}.`)
  }
  if (given(check.given.branchCode) === undefined) {
    return { accountNumber, code: bank?.code ?? code }
  }
  const branchCode = checkShape(check, 'branchCode', codeShape, 'a branch code')
  const branch = bank && codes.branch(bank, branchCode)
  const listed = bank !== undefined && codes.branches(bank.id).length > 0
  if (listed && !branch && !isPlausibleBranch(country, bank.code, branchCode)) {
    throw validationError(`${names.branchCode} must be the code of a branch of that bank.`)
  }
  return {
    accountNumber,
    code: bank?.code ?? code,
    branchCode: branch?.code ?? branchCode,
  }
}

/** Our lists have the main branches only, so another one is believed where it looks like one. */
function isPlausibleBranch(country: string, bankCode: string, branchCode: string): boolean {
  if (country === 'UG') return branchCode.startsWith(bankCode) && /^\d+$/.test(branchCode)
  if (country === 'TZ') return /^[A-Z]{6}[A-Z0-9]{2,5}$/i.test(branchCode)
  return true
}

function checkName(check: Check): string {
  const name = required(check, 'accountName')
  if (name.length > maxNameLength) {
    throw validationError(
      `${check.names.accountName} must have at most ${maxNameLength} characters.`,
    )
  }
  if (!/^\P{Cc}+$/u.test(name)) {
    throw validationError(`${check.names.accountName} must not have control characters.`)
  }
  return name
}

type Field = keyof PayoutMethodInput

function checkShape(check: Check, field: Field, shape: RegExp, words: string): string {
  const value = required(check, field)
  if (shape.test(value)) return value
  throw validationError(`${check.names[field]} must be ${words}.`)
}

function required({ given: method, names }: Check, field: Field): string {
  const value = given(method[field])
  if (value === undefined) throw validationError(`${names[field]} is required.`)
  return value
}

/** An empty text says no more than a missing one: what we answer with "" may be sent back. */
export function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}
