import Type from 'typebox'
import { IdempotencyHeaders, moneyCaller } from '../charge-caller.ts'
import { route } from '../route.ts'

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

export const createMomoCharge = route({
  method: 'POST',
  path: '/fiat/deposit/momo',
  auth: 'charges',
  about: {
    id: 'createMomoCharge',
    tag: 'Charges',
    summary: 'Collect by mobile money',
    description:
      'The customer gets a prompt on the phone. Name them by `phoneNumber`, or by an ' +
      '`externalAccountId` of type deposit. Where a step follows, the transaction shows it in ' +
      '`stepRequired` and an event tells of it.',
  },
  input: {
    headers: IdempotencyHeaders,
    body: Type.Object({
      amount: Type.Number({ description: 'In major units of currency.' }),
      currency: Type.String({ minLength: 3, maxLength: 3 }),
      externalReference: Type.String({ minLength: 1, maxLength: 100 }),
      phoneNumber: text(32, 'The customer, with or without plus.'),
      externalAccountId: text(
        64,
        'A customer that is stored: an external account of type deposit.',
      ),
      momoOperatorId: text(64, 'The operator; required for every currency except KES.'),
      otpCode: text(10, 'A code the customer made at the operator, where it wants one first.'),
      walletCurrency: text(3, 'The wallet to credit; the charge currency when absent.'),
      voucherPin: text(32, 'Required for BWP with the operator ott: 12 to 16 characters.'),
      successRedirectUrl: text(2048, 'Where a hosted page sends the customer after success.'),
      failureRedirectUrl: text(2048, 'Where it sends the customer after a failure.'),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String(),
  }),
  example: {
    body: {
      amount: 1500,
      currency: 'KES',
      phoneNumber: '+254700000000',
      externalReference: 'order-1024',
    },
    output: {
      success: true,
      message: 'Initiated request.',
      transactionId: '0199c2f4-8f6e-7abc-9def-0123456700a7',
    },
  },
  errors: [
    ...([
      'E-API-D.S-28',
      'E-BEN.S-90',
      'UNSUPPORTED_CURRENCY',
      'MOMO_OPERATOR_ID_REQUIRED',
    ] as const),
    ...(['MOMO_CODE_REQUIRED', 'WALLET_CURRENCY_NOT_SUPPORTED', 'AMOUNT_OUT_OF_BOUNDS'] as const),
    ...(['PROVIDER_NOT_FOUND', 'FX_RATE_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ],
  async handle({ access, headers, body, setHeader }, { charges }) {
    const caller = moneyCaller(access, 'charge', headers, body)
    const { id, replayed } = await charges.acceptMomo(caller, body)
    if (replayed) setHeader('idempotent-replayed', 'true')
    return { success: true as const, message: 'Initiated request.', transactionId: id }
  },
})
