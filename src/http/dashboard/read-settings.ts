import { readAccountSettings } from '../../merchants/account-settings.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { Settings } from './settings-answer.ts'

export const readSettings = dashboardRoute({
  method: 'GET',
  path: '/settings',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'readSettings', summary: 'Time zone, limits of approval and fees of the account' },
  input: {},
  output: Settings,
  async handle({ access }, { db }) {
    return { success: true as const, data: await readAccountSettings(db, access.accountId) }
  },
})
