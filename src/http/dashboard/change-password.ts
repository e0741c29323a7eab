import Type from 'typebox'
import { changePassword as change } from '../../people/own-security.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'
import { PasswordText } from './password-text.ts'

export const changePassword = dashboardRoute({
  method: 'PUT',
  path: '/password',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'changePassword', summary: 'Set another password, and sign out everywhere else' },
  input: { body: Type.Object({ current: PasswordText, next: PasswordText }) },
  output: Done,
  async handle({ person, body, ip }, { people }) {
    await change(people, person, { ...body, ip })
    return done
  },
})
