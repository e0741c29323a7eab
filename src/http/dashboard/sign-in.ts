import Type from 'typebox'
import { signIn as signInPerson } from '../../people/sign-in.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { PasswordText } from './password-text.ts'
import { sessionCookie } from './session-cookie.ts'
import { SessionAnswer, showSession } from './show-session.ts'

export const signIn = dashboardRoute({
  method: 'POST',
  path: '/session',
  perAccount: false,
  may: 'anyone',
  about: { id: 'signIn', summary: 'Begin a session with email and password' },
  input: {
    body: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254 }),
      password: PasswordText,
      code: Type.Optional(Type.String({ maxLength: 20 })),
    }),
  },
  output: SessionAnswer,
  async handle({ body, ip, userAgent, setHeader }, on) {
    const { token } = await signInPerson(on.people, body, { ip, userAgent })
    setHeader('set-cookie', sessionCookie(on.config, token))
    const person = await on.people.sessions.find(token)
    return await showSession(on, person!, token)
  },
})
