import Type from 'typebox'
import { validationError } from '../../errors.ts'
import { personActor } from '../../merchants/audit.ts'
import { inviteAgain } from '../../people/manage.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { joinPath } from './show-person.ts'

export const invitePersonAgain = dashboardRoute({
  method: 'POST',
  path: '/people/:id/invite',
  perAccount: false,
  may: ['owner'],
  about: { id: 'invitePersonAgain', summary: 'A new link for a person who cannot sign in' },
  input: { params: Type.Object({ id: Type.String() }) },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ invitation: Type.String() }),
  }),
  async handle({ person: { merchantId, personId }, params }, { people }) {
    // With a session somebody left open, a link would do what takes the password otherwise.
    if (params.id === personId) throw validationError('change your own password instead.')
    const doing = { actor: personActor(personId), merchantId }
    const { token } = await inviteAgain(people, doing, params.id)
    return { success: true as const, data: { invitation: joinPath(token) } }
  },
})
