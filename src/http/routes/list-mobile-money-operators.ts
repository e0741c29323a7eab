import Type from 'typebox'
import { KeptAnswer } from '../kept-answer.ts'
import { route } from '../route.ts'
import { CountryQuery, knownCountry } from './list-banks.ts'

const keptSeconds = 300

export const listMobileMoneyOperators = route({
  method: 'GET',
  path: '/utilities/mobile-money-operators',
  auth: 'read',
  about: {
    id: 'listMobileMoneyOperators',
    tag: 'Reference data',
    summary: 'List the mobile money operators of a country',
    description: 'The `id` is what charges take as `momoOperatorId` and payouts as `code`.',
  },
  input: { query: CountryQuery },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        wallet: Type.String({ description: 'What its customers call it.' }),
        country: Type.String(),
        currency: Type.String(),
      }),
    ),
  }),
  example: {
    output: {
      success: true,
      data: [{ id: 'mpesa', name: 'Safaricom', wallet: 'M-PESA', country: 'KE', currency: 'KES' }],
    },
  },
  errors: [],
  async handle({ query }, { reference }) {
    const asked = knownCountry(reference, query.country)
    const make = () => ({
      success: true,
      data: reference.operators(asked).map(({ id, name, wallet, country, currency }) => ({
        id,
        name,
        wallet,
        country,
        currency,
      })),
    })
    return new KeptAnswer(reference.rendered(`operators ${asked}`, make), keptSeconds)
  },
})
