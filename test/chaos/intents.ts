import { minorFromNumber } from '../../src/money/amounts.ts'
import { cardDetails } from '../charge-world.ts'
import type { Random } from './random.ts'

/** What a client wants done once, and everything it was told about it. */
export type Intent = {
  merchant: number
  kind: 'payout' | 'momo' | 'card' | 'bank'
  path: string
  body: Record<string, unknown>
  /** The Idempotency-Key: the same in every try. */
  key: string
  reference: string
  amountMinor: bigint
  currency: string
  /** How often it was sent. */
  tries: number
  outcome: 'open' | 'accepted' | 'refused'
  transactionId?: string
  /** The code of the refusal. */
  refusal?: string
  /** The final state the client has read. */
  status?: 'successful' | 'failed'
  /** A virtual account the client pays into, and how often it tried to and was told it did. */
  virtualAccount?: { number: string; tried: number; answered: number }
}

type Place = { currency: string; country: string; prefix: string; operator?: string }

/** Phone numbers of several countries; the last three digits decide what the sandbox does. */
const places: readonly Place[] = [
  { currency: 'KES', country: 'KE', prefix: '+254700000' },
  { currency: 'GHS', country: 'GH', prefix: '+233241234', operator: 'mtn' },
  { currency: 'UGX', country: 'UG', prefix: '+256772123', operator: 'mtn' },
  { currency: 'XOF', country: 'CI', prefix: '+2250700000', operator: 'orange' },
]
const endings = ['000', '000', '000', '111', '001', '002', '005', '006', '007', '008']
/** Pays after a one-time password. */
const otpEnding = '004'
const cards = ['4242424242424242', '5555555555554444', '4000000000000002', '4000000000009995']
const tooMuch = 900_000_000
const maxAmount = 5000

type Draft = Pick<Intent, 'kind' | 'path' | 'body' | 'currency'> & { amount: number }

/** A request of a kind drawn by chance, under a reference and a key of its own. */
export function drawIntent(random: Random, merchants: number, count: number): Intent {
  const merchant = random.between(0, merchants - 1)
  const draft = random.pick(drafts)(random)
  const { kind, path, body, currency, amount } = draft
  const reference = `chaos-${count}`
  return {
    ...{ merchant, kind, path, key: `key-${count}`, reference, currency },
    body: { ...body, amount, currency, externalReference: reference },
    amountMinor: minorFromNumber(amount, currency),
    tries: 0,
    outcome: 'open',
  }
}

function payout(random: Random): Draft {
  const { currency, country, prefix, operator } = random.pick(places)
  const amount = random.chance(0.02) ? tooMuch : random.between(1, maxAmount)
  const accountNumber = prefix + random.pick(endings)
  const code = operator === undefined ? {} : { code: operator }
  const payoutMethod = { accountName: 'Amina Otieno', accountNumber, ...code }
  const body = { country, destination: 'MoMo', payoutMethod }
  return { kind: 'payout', path: '/fiat/payout', body, currency, amount }
}

function momo(random: Random): Draft {
  const { currency, prefix, operator } = random.pick(places)
  const ending = random.chance(0.1) ? otpEnding : random.pick(endings)
  const body = {
    phoneNumber: prefix + ending,
    ...(operator === undefined ? {} : { momoOperatorId: operator }),
  }
  const amount = random.between(1, maxAmount)
  return { kind: 'momo', path: '/fiat/deposit/momo', body, currency, amount }
}

function card(random: Random): Draft {
  const body = {
    ...{ email: 'wanjiru@shop.example', firstName: 'Wanjiru', lastName: 'Mwangi' },
    cardDetails: cardDetails(random.pick(cards)),
  }
  const amount = random.between(1, maxAmount)
  return { kind: 'card', path: '/fiat/deposit/card', body, currency: 'KES', amount }
}

function bank(random: Random): Draft {
  const body = { email: 'ada@shop.example' }
  const amount = random.between(100, maxAmount)
  const path = '/fiat/deposit/bank-transfer'
  return { kind: 'bank', path, body, currency: random.pick(['NGN', 'KES']), amount }
}

const drafts = [payout, payout, payout, payout, payout, momo, momo, momo, card, bank]
