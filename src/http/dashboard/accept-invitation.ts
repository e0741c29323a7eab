import Type from 'typebox'
import { join } from '../../people/join.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { PasswordText } from './password-text.ts'
import { sessionCookie } from './session-cookie.ts'
import { SessionAnswer, showSession } from './show-session.ts'

export const acceptInvitation = dashboardRoute({
  method: 'POST',
  path: '/invitation/:token',
  perAccount: false,
  may: 'anyone',
  about: { id: 'acceptInvitation', summary: 'Choose a password and begin a session' },
  input: {
    params: Type.Object({ token: Type.String() }),
    body: Type.Object({
      password: PasswordText,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    }),
  },
  output: SessionAnswer,
  perMinute: 60,
  async handle({ params, body, ip, userAgent, setHeader }, on) {
    const { token, personId } = await join(on.people, params.token, body, { ip, userAgent })
    setHeader('set-cookie', sessionCookie(on.config, token))
    return await showSession(on, { personId }, token)
  },
})
