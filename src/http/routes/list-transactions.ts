import Type from 'typebox'
import { kindsOf, listTransactions as listPage } from '../../transactions/list.ts'
import { maxPage } from '../../transactions/reads.ts'
import { transactionStatuses } from '../../transactions/record.ts'
import { showTransaction } from '../../transactions/show.ts'
import { route } from '../route.ts'

const defaultPage = 3
const Day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))

export const transactionFields = {
  transactionId: Type.String(),
  type: Type.String({ description: 'withdrew for a payout, deposit for money that came in.' }),
  status: Type.String({ description: 'PENDING, SUCCESSFUL or FAILED.' }),
  chargeStatus: Type.String({ description: 'The same in lower case.' }),
  amount: Type.Number({ description: 'What the other side gets or gave.' }),
  senderAmount: Type.Number({ description: 'What the wallet gave, or the customer.' }),
  receiverAmount: Type.Number({ description: 'What the beneficiary gets, or the wallet.' }),
  currency: Type.String(),
  senderCurrency: Type.String(),
  receiverCurrency: Type.String(),
  country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  destination: Type.String({ description: 'MoMo, Bank Account, Paybill, Till or Card.' }),
  fullTimestamp: Type.String({ description: 'ISO 8601, in the time zone of the account.' }),
  year: Type.String(),
  month: Type.String({ description: 'In English, like the day of the week.' }),
  day: Type.String(),
  beneficiary: Type.Object({
    country: Type.String({ description: 'The name of the country.' }),
    bankCode: Type.String({ description: 'The bank or operator; empty when there is none.' }),
    accountName: Type.String(),
    destination: Type.String(),
    currency: Type.String(),
    accountNumber: Type.String(),
  }),
}

export const exampleTransaction = {
  transactionId: '01990a3c-5a00-7001-8a5b-3c2d1e0f0042',
  type: 'withdrew',
  status: 'SUCCESSFUL',
  chargeStatus: 'successful',
  amount: 1000,
  senderAmount: 1000,
  receiverAmount: 1000,
  currency: 'KES',
  senderCurrency: 'KES',
  receiverCurrency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  fullTimestamp: '2025-09-02T12:30:00.000+03:00',
  year: '2025',
  month: 'September',
  day: 'Tuesday',
  beneficiary: {
    country: 'Kenya',
    bankCode: 'mpesa',
    accountName: 'Achieng Otieno',
    destination: 'MoMo',
    currency: 'KES',
    accountNumber: '254700000000',
  },
}

export const listTransactions = route({
  method: 'GET',
  path: '/transactions',
  auth: 'read',
  about: {
    id: 'listTransactions',
    tag: 'Transactions',
    summary: 'List the transactions, newest first',
    description:
      'To follow one transaction read it by its id or your reference, or let a webhook tell you, ' +
      'instead of asking for the list again. A 400 has an empty object as its body.',
  },
  input: {
    query: Type.Object({
      currency: Type.Optional(Type.String({ pattern: '^([A-Za-z]{3})?$', default: '' })),
      type: Type.Optional(Type.String({ enum: ['', ...Object.keys(kindsOf)], default: '' })),
      externalReference: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      startDate: Day('YYYY-MM-DD, in the time zone of the account; this day is included.'),
      endDate: Day('YYYY-MM-DD; this day is included too.'),
      status: Type.Optional(Type.String({ enum: [...transactionStatuses] })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPage, default: defaultPage })),
      transactionId: Type.Optional(
        Type.String({ description: 'Those that come after this one in the list.' }),
      ),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(Type.Object(transactionFields)),
  }),
  example: { output: { success: true, data: [exampleTransaction] } },
  errors: [],
  renderFailure: ({ code }) => (code === 'VALIDATION_ERROR' ? {} : undefined),
  async handle({ access, query }, { reads, reference }) {
    const { currency, type, status, transactionId, limit = defaultPage, ...rest } = query
    const records = await listPage(reads, access, {
      ...rest,
      limit,
      after: transactionId,
      currency: currency ? currency.toUpperCase() : undefined,
      type: type ? (type as keyof typeof kindsOf) : undefined,
      status: status as (typeof transactionStatuses)[number] | undefined,
    })
    const { timeZone } = access
    const countryName = (iso2: string) => reference.country(iso2)?.name ?? iso2
    return {
      success: true as const,
      data: records.map((record) => showTransaction(record, { timeZone, countryName })),
    }
  },
})
