import cardValidator from 'card-validator'
import { validationError } from '../errors.ts'
import type { Card } from '../rails/rail.ts'
import { type ChargeDraft, chargeCurrency, sendWithinMs } from './prepare.ts'
import { httpUrl } from './urls.ts'

export type CardRequest = {
  amount: number
  currency: string
  externalReference: string
  email: string
  firstName: string
  lastName: string
  ipAddress?: string | undefined
  cardDetails: Card
  device3DSInfo?: object | undefined
  redirectUrl?: string | undefined
  walletCurrency?: string | undefined
}

const deadlineMs = 30 * 60_000
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** The charge and the card, which goes no further than the rail. */
export function readCardRequest(
  request: CardRequest,
  nowMs: number,
): { draft: ChargeDraft; card: Card } {
  const currency = chargeCurrency(request.currency)
  if (!emailShape.test(request.email)) throw validationError('email must be an e-mail address.')
  if (currency.code === 'USD' && request.device3DSInfo === undefined) {
    throw validationError('device3DSInfo is required for USD.')
  }
  const { card, brand } = checkCard(request.cardDetails, new Date(nowMs))
  const { amount, externalReference, email, firstName, lastName, ipAddress } = request
  const firstSix = card.number.slice(0, 6)
  const lastFour = card.number.slice(-4)
  const draft: ChargeDraft = {
    ...{ amount, externalReference, currency, deadlineMs, sendWithinMs },
    ...{ country: currency.defaultScope, method: 'card', destination: 'Card', operator: null },
    ...{ accountName: `${firstName} ${lastName}`.trim(), beneficiaryId: null },
    accountNumber: `${firstSix}******${lastFour}`,
    walletCurrency: request.walletCurrency,
    details: {
      ...{ email, firstName, lastName, card: { brand, firstSix, lastFour } },
      ...(ipAddress ? { ipAddress } : {}),
      ...httpUrl('redirectUrl', request.redirectUrl),
    },
  }
  return { draft, card }
}

/** Number by Luhn and the brand's lengths, cvv by the brand's length, expiry ahead. */
function checkCard(details: Card, now: Date): { card: Card; brand: string } {
  const number = details.number.replaceAll(/[ -]/g, '')
  const known = cardValidator.number(number, { luhnValidateUnionPay: true })
  if (!/^\d{12,19}$/.test(number) || !known.isValid) {
    throw validationError('cardDetails.number is not a valid card number.')
  }
  const cvvLength = known.card?.code.size ?? 3
  if (!new RegExp(`^\\d{${cvvLength}}$`).test(details.cvv)) {
    throw validationError(`cardDetails.cvv must have ${cvvLength} digits.`)
  }
  if (!/^(0[1-9]|1[0-2])$/.test(details.expMonth)) {
    throw validationError('cardDetails.expMonth must be a month from 01 to 12.')
  }
  if (!/^(\d{2}|\d{4})$/.test(details.expYear)) {
    throw validationError('cardDetails.expYear must have two or four digits.')
  }
  const century = details.expYear.length === 2 ? '20' : ''
  const expYear = `${century}${details.expYear}`
  // A card is good until the end of its month.
  const endMs = Date.UTC(Number(expYear), Number(details.expMonth), 1)
  if (endMs <= now.getTime())
    throw validationError('cardDetails.expMonth and expYear lie behind us.')
  const { cvv, expMonth } = details
  return { card: { number, cvv, expMonth, expYear }, brand: known.card?.type ?? 'unknown' }
}
