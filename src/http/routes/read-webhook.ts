import Type from 'typebox'
import { readWebhook as readRecord, showWebhook } from '../../webhooks/records.ts'
import { route } from '../route.ts'

export const WebhookRecord = Type.Object({
  id: Type.String({ description: 'The webhook-id header of every attempt.' }),
  createdAt: Type.String({ description: 'ISO 8601.' }),
  event: Type.String({ description: 'transaction_created or transaction_updated.' }),
  data: Type.Object(
    {
      transactionId: Type.String(),
      status: Type.String({ description: 'pending, successful or failed.' }),
      type: Type.String({ description: 'withdrew or deposit.' }),
      externalReference: Type.String(),
      sequence: Type.Integer({ description: 'Counts the events of the transaction, from 1.' }),
    },
    { additionalProperties: true },
  ),
  response: Type.Object({
    status: Type.String({
      description:
        'The HTTP status of the last answer; a word such as timeout where there was none; empty ' +
        'before the first attempt.',
    }),
    body: Type.String({ description: 'The start of the answer, or why there was none.' }),
  }),
  webhookUrl: Type.String({ description: 'Where it was sent; empty before the first attempt.' }),
  status: Type.String({ description: 'CREATED, SUCCESS or FAILED.' }),
})

export const exampleWebhook = {
  id: '01990a3c-5e11-7002-9c4d-7b6a59480042',
  createdAt: '2025-09-02T09:30:00.000Z',
  event: 'transaction_updated',
  data: {
    transactionId: '01990a3c-5a00-7001-8a5b-3c2d1e0f0042',
    status: 'successful',
    type: 'withdrew',
    externalReference: 'order-4711',
    amount: 1000,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    sequence: 2,
  },
  response: { status: '200', body: 'ok' },
  webhookUrl: 'https://shop.example/malipo',
  status: 'SUCCESS',
}

/** The specification has the singular; the plural is where everybody looks. */
const readAt = (path: string, id: string) =>
  route({
    method: 'GET',
    path,
    auth: 'read',
    about: { id, tag: 'Webhooks', summary: 'Read one webhook record' },
    input: { params: Type.Object({ id: Type.String() }) },
    output: Type.Object({ success: Type.Literal(true), data: WebhookRecord }),
    example: { output: { success: true, data: exampleWebhook } },
    errors: ['WEBHOOK_NOT_FOUND'],
    async handle({ access, params }, { db }) {
      const record = await readRecord(db, access, params.id)
      return { success: true as const, data: showWebhook(record) }
    },
  })

export const readWebhook = readAt('/webhook/:id', 'readWebhook')
export const readWebhookOfList = readAt('/webhooks/:id', 'readWebhookOfList')
