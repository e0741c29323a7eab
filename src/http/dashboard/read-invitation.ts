import Type from 'typebox'
import { readInvitation as read } from '../../people/join.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const readInvitation = dashboardRoute({
  method: 'GET',
  path: '/invitation/:token',
  perAccount: false,
  may: 'anyone',
  about: { id: 'readInvitation', summary: 'Who is invited, and by whom' },
  input: { params: Type.Object({ token: Type.String() }) },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ email: Type.String(), name: Type.String(), merchant: Type.String() }),
  }),
  perMinute: 60,
  async handle({ params }, { people }) {
    const { email, name, merchant } = await read(people, params.token)
    return { success: true as const, data: { email, name, merchant } }
  },
})
