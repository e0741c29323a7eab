import Type from 'typebox'
import { validationError } from '../../errors.ts'
import type { Reference } from '../../reference/reference.ts'
import { KeptAnswer } from '../kept-answer.ts'
import { route } from '../route.ts'

const keptSeconds = 300

export const CountryQuery = Type.Object({
  country: Type.String({ maxLength: 2, description: 'ISO 3166-1 alpha-2, such as KE.' }),
})

export const listBanks = route({
  method: 'GET',
  path: '/utilities/banks',
  auth: 'read',
  about: {
    id: 'listBanks',
    tag: 'Reference data',
    summary: 'List the banks of a country',
    description: 'The `code` names the bank in payouts, the `id` in the list of branches.',
  },
  input: { query: CountryQuery },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        id: Type.Integer(),
        code: Type.String(),
        name: Type.String(),
        country: Type.String(),
        swift_code: Type.Union([Type.String(), Type.Null()]),
        has_branches: Type.Boolean({ description: 'Whether its branches are known.' }),
      }),
    ),
  }),
  example: {
    output: {
      success: true,
      data: [
        {
          id: 1001,
          code: '01',
          name: 'KCB Bank Kenya',
          country: 'KE',
          swift_code: 'KCBLKENX',
          has_branches: true,
        },
      ],
    },
  },
  errors: [],
  async handle({ query }, { reference }) {
    const country = knownCountry(reference, query.country)
    const make = () => ({ success: true, data: showBanks(reference, country) })
    return new KeptAnswer(reference.rendered(`banks ${country}`, make), keptSeconds)
  },
})

/** Two letters of a supported country, in upper case. */
export function knownCountry(reference: Reference, given: string): string {
  const country = given.toUpperCase()
  if (reference.country(country)) return country
  throw validationError('country must be the two-letter code of a supported country.')
}

function showBanks(reference: Reference, country: string) {
  return reference.banks(country).map(({ id, code, name, swiftCode }) => ({
    id,
    code,
    name,
    country,
    swift_code: swiftCode,
    has_branches: reference.branches(id).length > 0,
  }))
}
