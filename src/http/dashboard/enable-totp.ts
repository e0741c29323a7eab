import Type from 'typebox'
import { enableTotp as enable } from '../../people/own-security.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Done, done } from './done.ts'

export const enableTotp = dashboardRoute({
  method: 'PUT',
  path: '/totp',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'enableTotp', summary: 'Ask for codes from now on, proved by a first one' },
  input: { body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 20 }) }) },
  output: Done,
  perMinute: 10,
  async handle({ person, body }, { people }) {
    await enable(people, person, body.code)
    return done
  },
})
