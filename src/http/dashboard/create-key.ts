import Type from 'typebox'
import { scopes } from '../../merchants/account.ts'
import { personActor } from '../../merchants/audit.ts'
import { accountById, createCredential } from '../../merchants/credentials.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { NewKey, showKey } from './key-answer.ts'
import { answerOf } from './view-answers.ts'

export const createKey = dashboardRoute({
  method: 'POST',
  path: '/keys',
  perAccount: true,
  may: ['owner', 'developer'],
  about: { id: 'createKey', summary: 'Create an API key, which is shown this once' },
  input: {
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      scopes: Type.Optional(
        Type.Array(Type.String({ enum: [...scopes] }), { minItems: 1, maxItems: scopes.length }),
      ),
      ipAllowList: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 100 })),
    }),
  },
  output: answerOf(NewKey),
  async handle({ access, body, person }, { db, ids }) {
    const account = await accountById(db, access.accountId)
    const actor = personActor(person.personId)
    const { credential, apiKey } = await createCredential(db, ids, actor, account, body)
    return { success: true as const, data: { ...showKey(credential), apiKey } }
  },
})
