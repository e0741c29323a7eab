import { type Environment, publicPath, request } from '../../api/client.ts'
import { newReference } from '../payouts/payout.ts'

export const methods = ['momo', 'card', 'bank'] as const
export type ChargeMethod = (typeof methods)[number]

export type ChargeValues = {
  method: ChargeMethod
  amount: number | string
  currency: string
  /** Empty: the wallet of the currency itself. */
  walletCurrency: string
  externalReference: string
  country: string
  phoneNumber: string
  momoOperatorId: string
  otpCode: string
  voucherPin: string
  email: string
  firstName: string
  lastName: string
  number: string
  expiry: string
  cvv: string
}

export const emptyCharge = (): ChargeValues => ({
  method: 'momo',
  amount: '',
  currency: 'KES',
  walletCurrency: '',
  externalReference: newReference('charge'),
  country: 'KE',
  phoneNumber: '',
  momoOperatorId: '',
  otpCode: '',
  voucherPin: '',
  email: '',
  firstName: '',
  lastName: '',
  number: '',
  expiry: '',
  cvv: '',
})

export const expiryShape = /^\s*(\d{2})\s*\/?\s*(\d{2}|\d{4})\s*$/

/** What a form must have of each method before it is worth sending. */
export const neededOf: Record<ChargeMethod, readonly (keyof ChargeValues)[]> = {
  momo: ['externalReference', 'country', 'phoneNumber'],
  card: [
    ...(['externalReference', 'currency', 'email', 'firstName', 'lastName'] as const),
    ...(['number', 'expiry', 'cvv'] as const),
  ],
  bank: ['externalReference', 'currency', 'email'],
}

const paths: Record<ChargeMethod, string> = {
  momo: '/fiat/deposit/momo',
  card: '/fiat/deposit/card',
  bank: '/fiat/deposit/bank-transfer',
}

type Answer = { transactionId?: string; data?: { transactionId: string } }

/** Begun, and known by this id. */
export async function sendCharge(environment: Environment, values: ChargeValues): Promise<string> {
  const { method, amount, currency, walletCurrency, externalReference } = values
  const body = {
    ...{ amount: Number(amount), currency, externalReference: externalReference.trim() },
    ...(walletCurrency === '' ? {} : { walletCurrency }),
    ...bodies[method](values),
  }
  const answer = await request<Answer>('POST', publicPath(environment, paths[method]), body)
  return answer.transactionId ?? answer.data?.transactionId ?? ''
}

const bodies: Record<ChargeMethod, (values: ChargeValues) => object> = {
  momo: ({ phoneNumber, momoOperatorId, otpCode, voucherPin }) => ({
    phoneNumber: phoneNumber.trim(),
    ...(momoOperatorId === '' ? {} : { momoOperatorId }),
    ...(otpCode === '' ? {} : { otpCode: otpCode.trim() }),
    ...(voucherPin === '' ? {} : { voucherPin: voucherPin.trim() }),
  }),
  card: ({ email, firstName, lastName, number, expiry, cvv }) => {
    const [, expMonth = '', expYear = ''] = expiryShape.exec(expiry) ?? []
    const cardDetails = { number: number.replaceAll(/\D/g, ''), cvv: cvv.trim(), expMonth, expYear }
    return { email, firstName, lastName, cardDetails, device3DSInfo: thisDevice() }
  },
  bank: ({ email }) => ({ email }),
}

/** Some currencies want to know the device a card is typed into: it is this one. */
function thisDevice() {
  const { colorDepth, height, width } = window.screen
  const userAgent = navigator.userAgent.slice(0, 500)
  const timeZone = new Date().getTimezoneOffset()
  return { colorDepth, screenHeight: height, screenWidth: width, userAgent, timeZone }
}
