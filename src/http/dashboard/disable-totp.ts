import Type from 'typebox'
import { disableTotp as disable } from '../../people/own-security.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'
import { PasswordText } from './password-text.ts'

export const disableTotp = dashboardRoute({
  method: 'DELETE',
  path: '/totp',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'disableTotp', summary: 'Ask for no codes any more' },
  input: { body: Type.Object({ password: PasswordText }) },
  output: Done,
  async handle({ person, body, ip }, { people }) {
    await disable(people, person, { password: body.password, ip })
    return done
  },
})
