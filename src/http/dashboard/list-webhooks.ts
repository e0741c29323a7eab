import Type from 'typebox'
import { idPeriod } from '../../transactions/period.ts'
import { webhookStatuses } from '../../webhooks/records.ts'
import { eventNames, searchWebhooks } from '../../webhooks/search.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { After, Limit, listOf, Moment, Text, TextOrNull } from './view-answers.ts'

const Item = Type.Object({
  id: Text,
  event: Text,
  status: Text,
  transactionId: Text,
  reference: Text,
  sequence: Type.Integer(),
  attempts: Type.Integer(),
  responseStatus: TextOrNull,
  url: TextOrNull,
  createdAt: Text,
})

export const listWebhooks = dashboardRoute({
  method: 'GET',
  path: '/webhooks',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewWebhooks', summary: 'The webhook records, newest first' },
  input: {
    query: Type.Object({
      status: Type.Optional(Type.String({ enum: [...webhookStatuses] })),
      event: Type.Optional(Type.String({ enum: [...eventNames] })),
      transactionId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      ...{ from: Moment, to: Moment, after: After, limit: Limit },
    }),
  },
  output: listOf(Item),
  async handle({ access, query }, { db }) {
    const { transactionId: reference, after, limit } = query
    const { rows, next } = await searchWebhooks(db, access, {
      status: webhookStatuses.find((each) => each === query.status),
      event: eventNames.find((each) => each === query.event),
      range: idPeriod(query, access.timeZone),
      ...{ reference, after, limit },
    })
    const data = rows.map((row) => ({
      ...{ id: row.id, event: row.event, status: row.status, sequence: row.sequence },
      ...{ transactionId: row.data.transactionId, reference: row.data.externalReference },
      ...{ attempts: row.attempts, responseStatus: row.responseStatus, url: row.webhookUrl },
      createdAt: row.createdAt.toISOString(),
    }))
    return { success: true as const, data, next }
  },
})
