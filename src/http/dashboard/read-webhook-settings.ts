import Type from 'typebox'
import { readWebhookSettings as read } from '../../merchants/read-webhook-settings.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, Text, TextOrNull, timeOrNull } from './view-answers.ts'

export const readWebhookSettings = dashboardRoute({
  method: 'GET',
  path: '/webhook-settings',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'readWebhookSettings', summary: 'Where events go, and how that works' },
  input: {},
  output: answerOf(
    Type.Object({
      url: TextOrNull,
      pausedAt: TextOrNull,
      failingSince: TextOrNull,
      secrets: Type.Array(Type.Object({ createdAt: Text, expiresAt: TextOrNull })),
    }),
  ),
  async handle({ access }, { db }) {
    const { url, pausedAt, failingSince, secrets } = await read(db, access.accountId)
    const data = {
      url,
      pausedAt: timeOrNull(pausedAt),
      failingSince: timeOrNull(failingSince),
      secrets: secrets.map(({ createdAt, expiresAt }) => ({
        createdAt: createdAt.toISOString(),
        expiresAt: timeOrNull(expiresAt),
      })),
    }
    return { success: true as const, data }
  },
})
