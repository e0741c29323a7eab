import Type from 'typebox'
import { route } from '../route.ts'

export const authoriseCharge = route({
  method: 'POST',
  path: '/fiat/deposit/:transactionId/authorise',
  auth: 'charges',
  about: {
    id: 'authoriseCharge',
    tag: 'Charges',
    summary: 'Answer the step a charge waits for',
    description:
      'The third wrong value fails the charge. After the right one it stays pending until the ' +
      'rail confirms, or asks for a further step.',
  },
  input: {
    params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
    body: Type.Object({
      type: Type.String({
        minLength: 1,
        maxLength: 20,
        description: 'otp, pin or address (also avs), in any case.',
      }),
      value: Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'The one-time password, the PIN, or the address as a JSON text.',
      }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Optional(Type.Object({ stepRequired: Type.String() })),
  }),
  example: {
    body: { type: 'otp', value: '123456' },
    output: { success: true, message: 'Payment is processing.' },
  },
  errors: [
    ...(['TRANSACTION_NOT_FOUND', 'CHARGE_NOT_AWAITING_AUTHORISATION'] as const),
    'AUTHORISATION_FAILED',
  ],
  async handle({ access, params, body }, { charges }) {
    const { accountId, slot, environment } = access
    const owner = { accountId, slot, environment }
    const next = await charges.authorise(owner, params.transactionId, body)
    return {
      success: true as const,
      message: 'Payment is processing.',
      ...(next === null ? {} : { data: { stepRequired: next } }),
    }
  },
})
