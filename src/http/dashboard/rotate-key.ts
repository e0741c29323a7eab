import Type from 'typebox'
import { personActor } from '../../merchants/audit.ts'
import { rotateCredential } from '../../merchants/credentials.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { NewKey, ownKey, showKey } from './key-answer.ts'
import { answerOf, IdParams } from './view-answers.ts'

const maxOverlapMinutes = 7 * 24 * 60
const defaultOverlapMinutes = 24 * 60

export const rotateKey = dashboardRoute({
  method: 'POST',
  path: '/keys/:id/rotate',
  perAccount: true,
  may: ['owner', 'developer'],
  about: { id: 'rotateKey', summary: 'Replace an API key; the old one goes on for a while' },
  input: {
    params: IdParams,
    body: Type.Object({
      overlapMinutes: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOverlapMinutes })),
    }),
  },
  output: answerOf(NewKey),
  async handle({ access, params, body, person }, { db, ids }) {
    const { id } = await ownKey(db, access, params.id)
    const overlapSeconds = (body.overlapMinutes ?? defaultOverlapMinutes) * 60
    const actor = personActor(person.personId)
    const { credential, apiKey } = await rotateCredential(db, ids, actor, id, overlapSeconds)
    return { success: true as const, data: { ...showKey(credential), apiKey } }
  },
})
