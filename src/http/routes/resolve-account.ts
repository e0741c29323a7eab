import Type from 'typebox'
import { route } from '../route.ts'

export const resolveAccount = route({
  method: 'POST',
  path: '/utilities/account/resolve',
  auth: 'read',
  about: {
    id: 'resolveAccount',
    tag: 'Reference data',
    summary: 'Find out whose account a number is',
    description: 'It reveals names, so a credential may ask 60 times a minute.',
  },
  perMinute: 60,
  input: {
    body: Type.Object({
      accountNumber: Type.String({ minLength: 1, maxLength: 64 }),
      currency: Type.String({ minLength: 3, maxLength: 3 }),
      method: Type.String({ minLength: 1, maxLength: 10, description: 'momo or bank.' }),
      momoOperator: Type.Optional(
        Type.String({ maxLength: 64, description: 'The operator; not needed for KES.' }),
      ),
      bankCode: Type.Optional(Type.String({ maxLength: 64, description: 'For method bank.' })),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ accountId: Type.String(), accountName: Type.String() }),
  }),
  example: {
    body: {
      accountNumber: '+254700000000',
      currency: 'KES',
      method: 'momo',
      momoOperator: 'mpesa',
    },
    output: { success: true, data: { accountId: '254700000000', accountName: 'Wanjiru Mwangi' } },
  },
  errors: [
    ...(['E-CH-PY.S-37', 'UNSUPPORTED_CURRENCY', 'MOMO_OPERATOR_ID_REQUIRED'] as const),
    'PROVIDER_NOT_FOUND',
  ],
  async handle({ access, body }, { resolveAccount: resolve }) {
    return { success: true as const, data: await resolve(access.environment, body) }
  },
})
