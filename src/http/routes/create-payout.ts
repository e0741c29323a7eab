import { createHash } from 'node:crypto'
import Type from 'typebox'
import { feeFor } from '../../merchants/fee-plan.ts'
import { numberFromMinor } from '../../money/amounts.ts'
import { route } from '../route.ts'

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

const PayoutMethod = Type.Object({
  accountName: text(201, 'Who receives it.'),
  accountNumber: text(64, 'The phone number, bank account, paybill account or till number.'),
  code: text(64, 'The operator id (MoMo; not needed for KES) or the bank code.'),
  branchCode: text(64, 'Required for bank accounts in UG and TZ.'),
  businessNumber: text(64, 'The business number of a Paybill.'),
})

export const createPayout = route({
  method: 'POST',
  path: '/fiat/payout',
  auth: 'payouts',
  about: {
    id: 'createPayout',
    tag: 'Payouts',
    summary: 'Pay out to mobile money or a bank',
    description:
      'Name the beneficiary by `externalAccountId`, or give `currency`, `country`, `destination` ' +
      'and `payoutMethod`. Amount and fee leave the available balance at once and are held until ' +
      'the payout is successful or failed; a failed one returns in full. `externalReference` is ' +
      'the idempotency key: a repeat is refused and moves nothing.',
  },
  input: {
    headers: Type.Object({
      'idempotency-key': Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Replays the first answer to an identical request.',
        }),
      ),
    }),
    body: Type.Object({
      amount: Type.Number({ description: 'In major units of currency.' }),
      externalReference: Type.String({ minLength: 1, maxLength: 100 }),
      externalAccountId: text(64, 'A beneficiary: an external account of type payout.'),
      currency: text(3, 'The currency paid out.'),
      country: text(2, 'ISO 3166-1 alpha-2.'),
      destination: text(20, 'MoMo, Bank Account, Paybill or Till.'),
      payoutMethod: Type.Optional(PayoutMethod),
      debitCurrency: text(3, 'The wallet to debit; the payout currency when absent.'),
      debitCountry: text(2, 'The country of that wallet, where its currency has several.'),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String(),
    data: Type.Object({
      transactionId: Type.String(),
      status: Type.Literal('pending'),
      amount: Type.Number(),
      currency: Type.String(),
      externalReference: Type.String(),
    }),
  }),
  example: {
    body: {
      amount: 1000,
      currency: 'KES',
      country: 'KE',
      destination: 'MoMo',
      externalReference: 'salary-2026-11-0042',
      payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254700000000' },
    },
    output: {
      success: true,
      message: 'Withdrawal request accepted for processing.',
      transactionId: '0199c2f4-8f6e-7abc-9def-0123456700a7',
      data: {
        transactionId: '0199c2f4-8f6e-7abc-9def-0123456700a7',
        status: 'pending',
        amount: 1000,
        currency: 'KES',
        externalReference: 'salary-2026-11-0042',
      },
    },
  },
  errors: [
    ...(['E-API-D.S-28', 'E-BEN.S-90', 'INSUFFICIENT_FUNDS', 'UNSUPPORTED_CURRENCY'] as const),
    ...(['UNSUPPORTED_DESTINATION', 'DEBIT_CURRENCY_NOT_SUPPORTED'] as const),
    ...(['DEBIT_COUNTRY_REQUIRED', 'MOMO_OPERATOR_ID_REQUIRED', 'AMOUNT_OUT_OF_BOUNDS'] as const),
    ...(['PROVIDER_NOT_FOUND', 'FX_RATE_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ],
  async handle({ access, headers, body, setHeader }, { payouts }) {
    const key = headers['idempotency-key']
    const requestHash = () => createHash('sha256').update(JSON.stringify(body)).digest()
    const { accountId, slot, environment, feePlan } = access
    const caller = {
      ...{ accountId, slot, environment },
      idempotency: key === undefined ? null : { key, requestHash: requestHash() },
      feeOf: (method: string, currency: string, amountMinor: bigint) =>
        feeFor(feePlan, { kind: 'payout', method, currency }, amountMinor),
    }
    const { id, amount, currency, replayed } = await payouts.accept(caller, body)
    if (replayed) setHeader('idempotent-replayed', 'true')
    const { externalReference } = body
    return {
      success: true as const,
      message: 'Withdrawal request accepted for processing.',
      transactionId: id,
      data: {
        transactionId: id,
        status: 'pending' as const,
        amount: numberFromMinor(amount, currency),
        currency,
        externalReference,
      },
    }
  },
})
