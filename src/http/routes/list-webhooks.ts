import Type from 'typebox'
import {
  listWebhooks as listPage,
  maxWebhookPage,
  showWebhook,
  webhookStatuses,
} from '../../webhooks/records.ts'
import { route } from '../route.ts'
import { exampleWebhook, WebhookRecord } from './read-webhook.ts'

const defaultPage = 50
const Day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))
const Name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }))

export const listWebhooks = route({
  method: 'GET',
  path: '/webhooks',
  auth: 'read',
  about: {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List the webhook records, newest first',
  },
  input: {
    query: Type.Object({
      status: Type.Optional(
        Type.String({
          enum: [...webhookStatuses],
          description: 'CREATED while attempts remain, FAILED when they are spent, or SUCCESS.',
        }),
      ),
      startDate: Day('YYYY-MM-DD, in the time zone of the account; this day is included.'),
      endDate: Day('YYYY-MM-DD; this day is included too.'),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxWebhookPage, default: defaultPage }),
      ),
      reference: Name('A transactionId or an externalReference.'),
      transactionId: Name('Those about this transaction.'),
      externalReference: Name('Those about the transaction with this reference of yours.'),
      after: Type.Optional(
        Type.String({ description: 'The id of a record: those that come after it in the list.' }),
      ),
    }),
  },
  output: Type.Object({ success: Type.Literal(true), data: Type.Array(WebhookRecord) }),
  example: { output: { success: true, data: [exampleWebhook] } },
  errors: [],
  async handle({ access, query }, { db }) {
    const { status, limit = defaultPage, ...rest } = query
    const wanted = webhookStatuses.find((each) => each === status)
    const found = await listPage(db, access, { ...rest, status: wanted, limit })
    return { success: true as const, data: found.map(showWebhook) }
  },
})
