import Type from 'typebox'
import { deleteBeneficiary } from '../../beneficiaries/delete.ts'
import { route } from '../route.ts'
import { ExternalAccountId } from './read-external-account.ts'

export const deleteExternalAccount = route({
  method: 'DELETE',
  path: '/external-accounts/:externalAccountId',
  auth: 'beneficiaries',
  about: {
    id: 'deleteExternalAccount',
    tag: 'External accounts',
    summary: 'Delete an external account',
    description: 'Transactions that went there keep what they say about it.',
  },
  input: { params: ExternalAccountId },
  output: Type.Object({ success: Type.Literal(true), message: Type.String() }),
  example: { output: { success: true, message: 'External account deleted successfully.' } },
  errors: ['E-BEN.S-90'],
  async handle({ access, params }, { db, clock }) {
    await deleteBeneficiary(db, clock, access, params.externalAccountId)
    return { success: true as const, message: 'External account deleted successfully.' }
  },
})
