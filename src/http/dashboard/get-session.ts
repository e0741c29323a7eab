import { dashboardRoute } from './dashboard-route.ts'
import { SessionAnswer, showSession } from './show-session.ts'

export const getSession = dashboardRoute({
  method: 'GET',
  path: '/session',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'getSession', summary: 'Who is signed in' },
  input: {},
  output: SessionAnswer,
  handle: ({ person, sessionToken }, on) => showSession(on, person, sessionToken!),
})
