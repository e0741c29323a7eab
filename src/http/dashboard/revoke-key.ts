import { personActor } from '../../merchants/audit.ts'
import { revokeCredential } from '../../merchants/credentials.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'
import { ownKey } from './key-answer.ts'
import { IdParams } from './view-answers.ts'

export const revokeKey = dashboardRoute({
  method: 'DELETE',
  path: '/keys/:id',
  perAccount: true,
  may: ['owner', 'developer'],
  about: { id: 'revokeKey', summary: 'End an API key and its tokens at once' },
  input: { params: IdParams },
  output: Done,
  async handle({ access, params, person }, { db, ids }) {
    const { id } = await ownKey(db, access, params.id)
    await revokeCredential(db, ids, personActor(person.personId), id)
    return done
  },
})
