import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'
import { endedCookie } from './session-cookie.ts'

export const endSession = dashboardRoute({
  method: 'DELETE',
  path: '/session',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'endSession', summary: 'Sign out' },
  input: {},
  output: Done,
  async handle({ person, setHeader }, { people, config }) {
    await people.sessions.end(person.sessionId)
    setHeader('set-cookie', endedCookie(config))
    return done
  },
})
