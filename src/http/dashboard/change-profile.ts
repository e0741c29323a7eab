import Type from 'typebox'
import { personActor } from '../../merchants/audit.ts'
import { changeProfile as change } from '../../people/manage.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'

export const changeProfile = dashboardRoute({
  method: 'PUT',
  path: '/profile',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'changeProfile', summary: 'Change the own name and time zone' },
  input: {
    body: Type.Object({
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
  },
  output: Done,
  async handle({ person: { merchantId, personId }, body }, { people }) {
    await change(people, { actor: personActor(personId), merchantId, personId }, body)
    people.sessions.forget(personId)
    return done
  },
})
