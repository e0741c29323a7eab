import Type from 'typebox'
import { minorFromNumber, textFromMinor } from '../../money/amounts.ts'
import { IdempotencyHeaders, moneyCaller } from '../charge-caller.ts'
import { route } from '../route.ts'

const VirtualAccount = Type.Object({
  permanent: Type.Literal(false),
  accountNumber: Type.String(),
  bankName: Type.String(),
  createdAt: Type.String(),
  expiresAt: Type.String({ description: 'The account takes money until then.' }),
  note: Type.String(),
  amount: Type.String({ description: 'Exactly this amount settles the charge.' }),
  bankLogo: Type.String(),
})

export const createBankTransferCharge = route({
  method: 'POST',
  path: '/fiat/deposit/bank-transfer',
  auth: 'charges',
  about: {
    id: 'createBankTransferCharge',
    tag: 'Charges',
    summary: 'Collect by bank transfer',
    description:
      'Opens a temporary bank account for this one payment, in NGN or KES. Money that is less, ' +
      'more, late or sent twice settles nothing by itself and is never lost.',
  },
  input: {
    headers: IdempotencyHeaders,
    body: Type.Object({
      amount: Type.Number({ description: 'In major units of currency.' }),
      currency: Type.String({ minLength: 3, maxLength: 3 }),
      email: Type.String({ minLength: 3, maxLength: 254 }),
      externalReference: Type.String({ minLength: 1, maxLength: 100 }),
      walletCurrency: Type.Optional(Type.String({ maxLength: 3 })),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({ transactionId: Type.String(), virtualAccount: VirtualAccount }),
  }),
  example: {
    body: {
      amount: 20000,
      currency: 'NGN',
      email: 'ada@shop.example',
      externalReference: 'order-1026',
    },
    output: {
      success: true,
      message: 'Virtual account created.',
      data: {
        transactionId: '0199c2f4-8f6e-7abc-9def-0123456700a7',
        virtualAccount: {
          permanent: false,
          accountNumber: '9912345678',
          bankName: 'Malipo Sandbox Bank',
          createdAt: '2026-11-15T08:00:00.000Z',
          expiresAt: '2026-11-15T10:00:00.000Z',
          note: 'Transfer the exact amount to this account before it expires.',
          amount: '20000',
          bankLogo: 'http://localhost:4000/bank.svg',
        },
      },
    },
  },
  errors: [
    ...(['E-API-D.S-28', 'UNSUPPORTED_CURRENCY', 'WALLET_CURRENCY_NOT_SUPPORTED'] as const),
    ...(['AMOUNT_OUT_OF_BOUNDS', 'PROVIDER_NOT_FOUND', 'FX_RATE_UNAVAILABLE'] as const),
    'IDEMPOTENCY_KEY_REUSED',
  ],
  async handle({ access, headers, body, setHeader }, { charges }) {
    const caller = moneyCaller(access, 'charge', headers, body)
    const { id, replayed, account } = await charges.acceptBankTransfer(caller, body)
    if (replayed) setHeader('idempotent-replayed', 'true')
    const { accountNumber, bankName, note, createdAt, expiresAt } = account
    const currency = body.currency.toUpperCase()
    const virtualAccount = {
      ...{ permanent: false as const, accountNumber, bankName, note },
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      amount: textFromMinor(minorFromNumber(body.amount, currency), currency),
      bankLogo: charges.parts.publicUrl('/bank.svg'),
    }
    return {
      success: true as const,
      message: 'Virtual account created.',
      data: { transactionId: id, virtualAccount },
    }
  },
})
