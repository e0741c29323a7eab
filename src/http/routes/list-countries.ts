import Type from 'typebox'
import type { Country } from '../../reference/reference.ts'
import { KeptAnswer } from '../kept-answer.ts'
import { route } from '../route.ts'

const keptSeconds = 300

export const listCountries = route({
  method: 'GET',
  path: '/utilities/countries',
  auth: 'read',
  about: {
    id: 'listCountries',
    tag: 'Reference data',
    summary: 'List the supported countries',
    description: 'A failure has the body `{success: false, error}`.',
  },
  input: {},
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        name: Type.String(),
        iso2: Type.String(),
        iso3: Type.String(),
        dialing_code: Type.String(),
        currency: Type.Object({
          code: Type.String(),
          symbol: Type.String(),
          decimal: Type.String({ description: 'The number of decimals, as text.' }),
        }),
      }),
    ),
  }),
  example: {
    output: {
      success: true,
      data: [
        {
          name: 'Kenya',
          iso2: 'KE',
          iso3: 'KEN',
          dialing_code: '+254',
          currency: { code: 'KES', symbol: 'KSh', decimal: '2' },
        },
      ],
    },
  },
  errors: [],
  renderFailure: ({ message }) => ({ success: false, error: message }),
  async handle(_request, { reference }) {
    const make = () => ({ success: true, data: reference.countries().map(showCountry) })
    return new KeptAnswer(reference.rendered('countries', make), keptSeconds)
  },
})

function showCountry({ name, iso2, iso3, dialingCode, currency, symbol, decimals }: Country) {
  return {
    name,
    iso2,
    iso3,
    dialing_code: dialingCode,
    currency: { code: currency, symbol, decimal: String(decimals) },
  }
}
