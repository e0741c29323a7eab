import Type from 'typebox'
import { readWebhook as read, readAttempts } from '../../webhooks/records.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, IdParams, Text, TextOrNull, timeOrNull } from './view-answers.ts'

const Attempt = Type.Object({
  at: Text,
  durationMs: Type.Integer(),
  status: Text,
  answer: Text,
})

export const readWebhook = dashboardRoute({
  method: 'GET',
  path: '/webhooks/:id',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewWebhook', summary: 'A webhook record: what is sent, and every attempt' },
  input: { params: IdParams },
  output: answerOf(
    Type.Object({
      id: Text,
      event: Text,
      status: Text,
      transactionId: Text,
      sequence: Type.Integer(),
      createdAt: Text,
      nextAttemptAt: TextOrNull,
      url: TextOrNull,
      body: Type.Unknown(),
      attempts: Type.Array(Attempt),
    }),
  ),
  async handle({ access, params }, { db }) {
    const record = await read(db, access, params.id)
    const attempts = await readAttempts(db, access.slot, record.id)
    const { id, event, status, sequence, createdAt } = record
    const data = {
      ...{ id, event, status, sequence, createdAt: createdAt.toISOString() },
      transactionId: record.data.transactionId,
      nextAttemptAt: timeOrNull(record.dueAt),
      url: record.webhookUrl,
      body: { event, data: { ...record.data, sequence } },
      attempts: attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
    }
    return { success: true as const, data }
  },
})
