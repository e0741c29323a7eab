import Type from 'typebox'
import { personActor } from '../../merchants/audit.ts'
import { changePerson as change } from '../../people/manage.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { PersonFields, RoleName, showPerson } from './show-person.ts'

export const changePerson = dashboardRoute({
  method: 'PUT',
  path: '/people/:id',
  perAccount: false,
  may: ['owner'],
  about: { id: 'changePerson', summary: 'Give a person another role, or end their access' },
  input: {
    params: Type.Object({ id: Type.String() }),
    body: Type.Object({
      role: Type.Optional(RoleName),
      disabled: Type.Optional(Type.Boolean()),
    }),
  },
  output: Type.Object({ success: Type.Literal(true), data: PersonFields }),
  async handle({ person: { merchantId, personId }, params, body }, { people }) {
    const doing = { actor: personActor(personId), merchantId }
    const changed = await change(people, doing, params.id, body)
    people.sessions.forget(changed.id)
    return { success: true as const, data: showPerson(changed) }
  },
})
