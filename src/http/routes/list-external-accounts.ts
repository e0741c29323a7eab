import Type from 'typebox'
import { listBeneficiaries } from '../../beneficiaries/list.ts'
import { route } from '../route.ts'
import {
  ExternalAccount,
  exampleExternalAccount,
  showExternalAccount,
} from './read-external-account.ts'

const maxPage = 1000

export const listExternalAccounts = route({
  method: 'GET',
  path: '/external-accounts',
  auth: 'read',
  about: {
    id: 'listExternalAccounts',
    tag: 'External accounts',
    summary: 'List the external accounts, newest first',
    description: 'Without parameters it answers with all of them.',
  },
  input: {
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxPage, description: 'At most that many.' }),
      ),
      after: Type.Optional(
        Type.String({ description: 'An externalAccountId: those that come after it in the list.' }),
      ),
    }),
  },
  output: Type.Object({ success: Type.Literal(true), data: Type.Array(ExternalAccount) }),
  example: { output: { success: true, data: [exampleExternalAccount] } },
  errors: [],
  async handle({ access, query }, { db }) {
    const found = await listBeneficiaries(db, access, query)
    return { success: true as const, data: found.map(showExternalAccount) }
  },
})
