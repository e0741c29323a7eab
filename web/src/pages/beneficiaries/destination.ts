/** Where money goes, as a form holds it: texts, and empty where nothing is said. */

export const destinations = ['MoMo', 'Bank Account', 'Paybill', 'Till'] as const
export type Destination = (typeof destinations)[number]

export type DestinationValues = {
  country: string
  currency: string
  destination: Destination
  accountName: string
  accountNumber: string
  code: string
  branchCode: string
  businessNumber: string
}

export type PayoutMethod = {
  accountName: string
  accountNumber: string
  code: string
  branchCode: string
  businessNumber?: string
}

/** A beneficiary as the API shows it. */
export type ExternalAccount = {
  externalAccountId: string
  country: string
  currency: string
  destination: Destination
  createdAt: number
  payoutMethod: PayoutMethod
}

export const emptyDestination: DestinationValues = {
  country: '',
  currency: '',
  destination: 'MoMo',
  accountName: '',
  accountNumber: '',
  code: '',
  branchCode: '',
  businessNumber: '',
}

/** What is asked for in a country; whether an answer will do is for the service to say. */
export function fieldsOf({ country, currency, destination }: DestinationValues) {
  const isBank = destination === 'Bank Account'
  const isMobile = destination === 'MoMo'
  return {
    operator: isMobile,
    operatorRequired: isMobile && currency !== 'KES',
    bank: isBank,
    branch: isBank,
    branchRequired: isBank && (country === 'UG' || country === 'TZ'),
    businessNumber: destination === 'Paybill',
    canCheckName: isBank || isMobile,
  }
}

/** Paybill and Till are Kenyan. */
export function destinationsIn(country: string): readonly Destination[] {
  return country === 'KE' ? destinations : destinations.slice(0, 2)
}

/** The details the API wants, without those of another destination that were typed before. */
export function payoutMethodOf(values: DestinationValues): Partial<PayoutMethod> {
  const fields = fieldsOf(values)
  return {
    accountName: values.accountName.trim(),
    accountNumber: values.accountNumber.trim(),
    ...(fields.operator || fields.bank ? { code: values.code.trim() } : {}),
    ...(fields.branch ? { branchCode: values.branchCode.trim() } : {}),
    ...(fields.businessNumber ? { businessNumber: values.businessNumber.trim() } : {}),
  }
}

export function valuesOf(account: ExternalAccount): DestinationValues {
  const { country, currency, destination, payoutMethod } = account
  return { ...emptyDestination, country, currency, destination, ...payoutMethod }
}

/** One word per field that is missing, for the form. */
export function missingIn(values: DestinationValues): (keyof DestinationValues)[] {
  const fields = fieldsOf(values)
  const needed: (keyof DestinationValues)[] = [
    'country',
    'currency',
    'accountName',
    'accountNumber',
  ]
  if (fields.operatorRequired || fields.bank) needed.push('code')
  if (fields.branchRequired) needed.push('branchCode')
  if (fields.businessNumber) needed.push('businessNumber')
  return needed.filter((name) => values[name].trim() === '')
}
