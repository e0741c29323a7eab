import Type from 'typebox'
import { listCredentials } from '../../merchants/credentials.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { KeyView, showKey } from './key-answer.ts'
import { answerOf } from './view-answers.ts'

export const listKeys = dashboardRoute({
  method: 'GET',
  path: '/keys',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'listKeys', summary: 'The API keys of the account, without their secrets' },
  input: {},
  output: answerOf(Type.Array(KeyView)),
  async handle({ access }, { db }) {
    const keys = await listCredentials(db, access.accountId)
    return { success: true as const, data: keys.map(showKey) }
  },
})
