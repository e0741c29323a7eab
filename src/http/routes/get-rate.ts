import Type from 'typebox'
import { AppError, validationError } from '../../errors.ts'
import { minorFromText, numberFromMinor } from '../../money/amounts.ts'
import { currency } from '../../money/currencies.ts'
import { MoneyError } from '../../money/money-error.ts'
import { route } from '../route.ts'

const CurrencyCode = (description: string) => Type.String({ maxLength: 3, description })

export const getRate = route({
  method: 'GET',
  path: '/utilities/rates',
  auth: 'read',
  about: {
    id: 'getRate',
    tag: 'Reference data',
    summary: 'Convert an amount at the current rate',
    description:
      'Says what giving the amount brings, rounded down to the unit of the other currency. ' +
      'Nothing is moved, and the rate is not kept for you.',
  },
  input: {
    query: Type.Object({
      from: CurrencyCode('The currency given.'),
      to: CurrencyCode('The currency received.'),
      amount: Type.Optional(
        Type.String({ maxLength: 40, default: '1', description: 'In major units; 1 if absent.' }),
      ),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({
      conversionRate: Type.Number({ description: 'Units received per unit given.' }),
      convertedAmount: Type.Number(),
    }),
  }),
  example: {
    output: { success: true, data: { conversionRate: 128.554, convertedAmount: 12855.4 } },
  },
  errors: ['UNSUPPORTED_CURRENCY', 'FX_RATE_UNAVAILABLE'],
  async handle({ access, query }, { rates }) {
    const from = supported(query.from)
    const to = supported(query.to)
    const amountMinor = readAmount(query.amount ?? '1', from)
    const { walletMinor, rate } = rates.proceedsOf({
      amountMinor,
      currency: from,
      walletCurrency: to,
      environment: access.environment,
    })
    return {
      success: true as const,
      data: { conversionRate: Number(rate), convertedAmount: numberFromMinor(walletMinor, to) },
    }
  },
})

/** A code in upper case that is one of our currencies. */
export function supported(given: string): string {
  const code = given.toUpperCase()
  if (currency(code)) return code
  throw new AppError('UNSUPPORTED_CURRENCY', { message: 'This currency is not supported.' })
}

function readAmount(text: string, code: string): bigint {
  try {
    return minorFromText(text, code)
  } catch (error) {
    if (error instanceof MoneyError) throw validationError(`amount ${error.message}.`)
    throw error
  }
}
