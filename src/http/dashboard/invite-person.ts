import Type from 'typebox'
import { personActor } from '../../merchants/audit.ts'
import { invitePerson as invite } from '../../people/manage.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { joinPath, RoleName } from './show-person.ts'

export const invitePerson = dashboardRoute({
  method: 'POST',
  path: '/people',
  perAccount: false,
  may: ['owner'],
  about: { id: 'invitePerson', summary: 'Add a person, who joins with a link' },
  input: {
    body: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254 }),
      name: Type.String({ minLength: 1, maxLength: 100 }),
      role: RoleName,
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ id: Type.String(), invitation: Type.String() }),
  }),
  async handle({ person, body }, { people }) {
    const { merchantId, personId } = person
    const doing = { actor: personActor(personId), merchantId }
    const { id, token } = await invite(people, doing, body)
    return { success: true as const, data: { id, invitation: joinPath(token) } }
  },
})
