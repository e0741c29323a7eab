import Type from 'typebox'
import { changeAccountSettings } from '../../merchants/account-settings.ts'
import { personActor } from '../../merchants/audit.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Settings } from './settings-answer.ts'

export const changeSettings = dashboardRoute({
  method: 'PUT',
  path: '/settings',
  perAccount: true,
  may: ['owner'],
  about: { id: 'changeSettings', summary: 'Set the time zone or the limits of approval' },
  input: {
    body: Type.Object({
      timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      approvalLimits: Type.Optional(
        Type.Record(Type.String(), Type.String({ maxLength: 30 }), { maxProperties: 50 }),
      ),
    }),
  },
  output: Settings,
  async handle({ access, body, person }, { db, ids }) {
    const actor = personActor(person.personId)
    const data = await changeAccountSettings(db, ids, actor, access.accountId, body)
    return { success: true as const, data }
  },
})
