import Type from 'typebox'
import { createBeneficiary } from '../../beneficiaries/create.ts'
import { route } from '../route.ts'

const maxLength = 255
const Text = (description?: string) =>
  Type.Optional(Type.String({ maxLength, ...(description ? { description } : {}) }))
const Name = Type.Optional(Type.String({ maxLength: 100 }))

export const PayoutMethod = Type.Object({
  accountName: Text('Up to 201 characters.'),
  accountNumber: Text('The phone number, bank account, account at the paybill, or till.'),
  code: Text('MoMo: the operator. Bank Account: the bank code.'),
  branchCode: Text('Bank Account: required in UG and TZ.'),
  businessNumber: Text('Paybill: the number of the company.'),
})

const details = {
  destination: Text('MoMo, Bank Account, Paybill or Till; the last two in KE only.'),
  momoOperatorId: Text('MoMo: the operator, where the number does not tell it.'),
  payoutMethod: Type.Optional(PayoutMethod),
}

export const createExternalAccount = route({
  method: 'POST',
  path: '/external-accounts',
  auth: 'beneficiaries',
  about: {
    id: 'createExternalAccount',
    tag: 'External accounts',
    summary: 'Store an external account',
    description:
      'A mobile money account is told by `payload` with `firstName`, `lastName`, `phoneNumber` ' +
      'and `destination`; any account by `destination` and `payoutMethod`, in the payload or ' +
      'beside the country. An account of type deposit is mobile money, so its destination may be ' +
      'left out.',
  },
  input: {
    body: Type.Object({
      country: Type.String({ minLength: 1, maxLength, description: 'ISO 3166-1 alpha-2.' }),
      currency: Type.String({ minLength: 1, maxLength }),
      type: Text('payout (to be paid) or deposit (to pay from). Without it: payout.'),
      ...details,
      payload: Type.Optional(
        Type.Object({ firstName: Name, lastName: Name, phoneNumber: Text(), ...details }),
      ),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({ id: Type.String({ description: 'The externalAccountId.' }) }),
  }),
  example: {
    body: {
      country: 'KE',
      currency: 'KES',
      type: 'payout',
      payload: {
        firstName: 'Achieng',
        lastName: 'Otieno',
        phoneNumber: '+254700000000',
        destination: 'MoMo',
      },
    },
    output: {
      success: true,
      message: 'External account created successfully.',
      data: { id: '01990a3c-5a00-7001-8a5b-3c2d1e0f0042' },
    },
  },
  errors: [
    'E-BEN.S-35',
    'MOMO_OPERATOR_ID_REQUIRED',
    'UNSUPPORTED_CURRENCY',
    'UNSUPPORTED_DESTINATION',
  ],
  async handle({ access, body }, { db, ids, reference }) {
    const id = await createBeneficiary(db, ids, reference, access, body)
    return {
      success: true as const,
      message: 'External account created successfully.',
      data: { id },
    }
  },
})
