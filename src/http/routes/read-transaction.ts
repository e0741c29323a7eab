import Type from 'typebox'
import { readTransaction as readRecord } from '../../transactions/read.ts'
import { showWholeTransaction } from '../../transactions/show.ts'
import { route } from '../route.ts'
import { exampleTransaction, transactionFields } from './list-transactions.ts'

const MaybeText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const readTransaction = route({
  method: 'GET',
  path: '/transactions/:transactionId',
  auth: 'read',
  about: {
    id: 'readTransaction',
    tag: 'Transactions',
    summary: 'Read a transaction by its id or your external reference',
  },
  input: {
    params: Type.Object({
      transactionId: Type.String({ description: 'The transactionId, or the externalReference.' }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({
      ...transactionFields,
      externalReference: Type.String(),
      method: Type.String({ description: 'momo, card or bank.' }),
      fee: Type.Number({ description: 'In the currency of the wallet.' }),
      exchangeRate: Type.Union([Type.Number(), Type.Null()], {
        description: 'Null where nothing was converted.',
      }),
      failureReason: MaybeText('Why it failed.'),
      stepRequired: MaybeText('What the customer has to do: otp, pin, address or redirect.'),
      redirectUrl: MaybeText('Where the customer does it.'),
      providerReference: MaybeText('What the provider calls it.'),
      createdAt: Type.String(),
      updatedAt: Type.String(),
    }),
  }),
  example: {
    output: {
      success: true,
      data: {
        ...exampleTransaction,
        externalReference: 'order-1024',
        method: 'momo',
        fee: 0,
        exchangeRate: null,
        failureReason: null,
        stepRequired: null,
        redirectUrl: null,
        providerReference: 'SBX-4711',
        createdAt: '2025-09-02T12:30:00.000+03:00',
        updatedAt: '2025-09-02T12:30:01.000+03:00',
      },
    },
  },
  errors: ['TRANSACTION_NOT_FOUND'],
  async handle({ access, params }, { reads, reference, payouts, charges }) {
    let record = await readRecord(reads, access, params.transactionId)
    if (record.status === 'pending') {
      const { repair } = record.kind === 'payout' ? payouts : charges
      await repair(access.slot, record.id)
      record = await readRecord(reads, access, record.id)
    }
    const { timeZone } = access
    const countryName = (iso2: string) => reference.country(iso2)?.name ?? iso2
    return {
      success: true as const,
      data: showWholeTransaction(record, { timeZone, countryName }),
    }
  },
})
