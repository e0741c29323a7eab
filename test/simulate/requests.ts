import { createHash } from 'node:crypto'
import type { PayoutRequest } from '../../src/payouts/accept-payout.ts'
import { type Api, feeOf } from './node.ts'
import type { Asked, Kind, Merchant, World } from './world.ts'

/** The bodies that clients send, and the way they are sent. */

const phones = {
  KES: '+2547000000',
  UGX: '+2567720000',
} as const

export function newRequest(world: World, kind: Kind): Asked {
  const { random } = world
  const number = world.counts.requests + 1
  const reference = `order-${number}`
  const amount = random.chance(0.05) ? 40_000 : random.between(1, 900)
  const key = random.chance(0.5) ? `key-${number}` : null
  const more = bodies[kind](world, { amount, externalReference: reference })
  return { kind, reference, key, body: more, id: undefined, mayBeThere: false }
}

type Start = { amount: number; externalReference: string }
type Body = Asked['body']

const bodies: Record<Kind, (world: World, start: Start) => Body> = {
  payout({ random }, start) {
    const currency = random.pick(['KES', 'KES', 'UGX'] as const)
    const accountNumber = `${phones[currency]}${random.between(10, 99)}`
    const other = random.chance(0.15) ? { debitCurrency: currency === 'KES' ? 'UGX' : 'KES' } : {}
    const code = currency === 'UGX' ? { code: 'mtn' } : {}
    const payoutMethod = { accountName: 'Amina Otieno', accountNumber, ...code }
    const country = currency === 'KES' ? 'KE' : 'UG'
    return { ...start, currency, country, destination: 'MoMo', payoutMethod, ...other }
  },
  momo({ random }, start) {
    const currency = random.pick(['KES', 'UGX'] as const)
    const phoneNumber = `${phones[currency]}${random.between(10, 99)}`
    const operator = currency === 'UGX' ? { momoOperatorId: 'mtn' } : {}
    const code = random.chance(0.2) ? { otpCode: '12345' } : {}
    return { ...start, ...inAnother(random, currency), phoneNumber, ...operator, ...code }
  },
  card({ random }, start) {
    const cardDetails = { number: '4242424242424242', cvv: '737', expMonth: '12', expYear: '2060' }
    const person = { email: 'amina@shop.example', firstName: 'Amina', lastName: 'Otieno' }
    return { ...start, ...inAnother(random, random.pick(['KES', 'UGX'])), ...person, cardDetails }
  },
  bank: ({ random }, start) => ({
    ...{ ...start, email: 'amina@shop.example' },
    ...inAnother(random, 'KES'),
  }),
}

/** Now and then the money is to go into a wallet of another currency. */
function inAnother(random: World['random'], currency: string) {
  const walletCurrency = currency === 'KES' ? 'UGX' : 'KES'
  return { currency, ...(random.chance(0.15) ? { walletCurrency } : {}) }
}

/** Sends it to one process of the service; answers with the id. */
export async function send(
  { payouts, charges }: Api,
  { owner }: Merchant,
  { kind, key, body }: Pick<Asked, 'kind' | 'key' | 'body'>,
): Promise<string> {
  const requestHash = createHash('sha256').update(JSON.stringify(body)).digest()
  const caller = { ...owner, feeOf, idempotency: key === null ? null : { key, requestHash } }
  const request = body as never
  if (kind === 'payout') return (await payouts.accept(caller, request as PayoutRequest)).id
  if (kind === 'momo') return (await charges.acceptMomo(caller, request)).id
  if (kind === 'card') return (await charges.acceptCard(caller, request)).id
  return (await charges.acceptBankTransfer(caller, request)).id
}
