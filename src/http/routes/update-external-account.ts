import Type from 'typebox'
import { updateBeneficiary } from '../../beneficiaries/update.ts'
import { route } from '../route.ts'
import { PayoutMethod } from './create-external-account.ts'
import { ExternalAccountId } from './read-external-account.ts'

const Text = Type.Optional(Type.String({ maxLength: 255 }))

export const updateExternalAccount = route({
  method: 'PUT',
  path: '/external-accounts/:externalAccountId',
  auth: 'beneficiaries',
  about: {
    id: 'updateExternalAccount',
    tag: 'External accounts',
    summary: 'Change an external account',
    description:
      'A field that is absent or empty stays as it is. Codes are asked for anew when the country ' +
      'or the destination changes, and the operator when the number does and does not tell it.',
  },
  input: {
    params: ExternalAccountId,
    body: Type.Object({
      country: Text,
      currency: Text,
      destination: Text,
      payoutMethod: Type.Optional(PayoutMethod),
    }),
  },
  output: Type.Object({ success: Type.Literal(true), message: Type.String() }),
  example: {
    body: {
      country: 'KE',
      currency: 'KES',
      destination: 'MoMo',
      payoutMethod: {
        accountName: 'Achieng Otieno',
        accountNumber: '+254700000000',
        code: 'mpesa',
        branchCode: '',
      },
    },
    output: { success: true, message: 'External account updated successfully.' },
  },
  errors: [
    'E-BEN.S-35',
    'E-BEN.S-90',
    'MOMO_OPERATOR_ID_REQUIRED',
    'UNSUPPORTED_CURRENCY',
    'UNSUPPORTED_DESTINATION',
  ],
  async handle({ access, params, body }, { db, clock, reference }) {
    await updateBeneficiary(db, clock, reference, access, params.externalAccountId, body)
    return { success: true as const, message: 'External account updated successfully.' }
  },
})
