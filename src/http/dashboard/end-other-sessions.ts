import Type from 'typebox'
import { dashboardRoute } from './dashboard-route.ts'

export const endOtherSessions = dashboardRoute({
  method: 'DELETE',
  path: '/sessions',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'endOtherSessions', summary: 'Sign out everywhere else' },
  input: {},
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ ended: Type.Integer() }),
  }),
  handle: async ({ person }, { people }) => ({
    success: true as const,
    data: { ended: await people.sessions.endOthers(person) },
  }),
})
