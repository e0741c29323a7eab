import Type from 'typebox'
import { validationError } from '../../errors.ts'
import { KeptAnswer } from '../kept-answer.ts'
import { route } from '../route.ts'
import { supported } from './get-rate.ts'

const keptSeconds = 60
const CurrencyCode = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 3, description }))

export const listHistoricalRates = route({
  method: 'GET',
  path: '/utilities/rates/historical',
  auth: 'read',
  about: {
    id: 'listHistoricalRates',
    tag: 'Reference data',
    summary: 'List the exchange rates of the last 30 days',
    description:
      'One entry per pair and day, newest first. Without `from` and `to`: every pair that is ' +
      'kept. `buy` is what you get for a unit of the first currency, `sell` what it costs you.',
  },
  input: {
    query: Type.Object({
      from: CurrencyCode('The first currency of the pair, such as USD.'),
      to: CurrencyCode('The second currency of the pair, such as KES.'),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        currencyPair: Type.String(),
        buy: Type.Number(),
        sell: Type.Number(),
        updatedAt: Type.String({ description: 'ISO 8601.' }),
      }),
    ),
  }),
  example: {
    output: {
      success: true,
      data: [
        {
          currencyPair: 'USD/KES',
          buy: 128.554,
          sell: 129.846,
          updatedAt: '2026-09-01T12:00:00.000Z',
        },
      ],
    },
  },
  errors: ['UNSUPPORTED_CURRENCY'],
  async handle({ query }, { rates }) {
    const from = query.from === undefined ? undefined : supported(query.from)
    const to = query.to === undefined ? undefined : supported(query.to)
    if (from !== undefined && from === to) throw validationError('to must differ from from.')
    return new KeptAnswer(rates.renderedHistory(from, to), keptSeconds)
  },
})
