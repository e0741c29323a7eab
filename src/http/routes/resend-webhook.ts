import Type from 'typebox'
import { route } from '../route.ts'

export const resendWebhook = route({
  method: 'POST',
  path: '/webhooks/:id/resend',
  auth: 'webhooks',
  about: {
    id: 'resendWebhook',
    tag: 'Webhooks',
    summary: 'Send a webhook again',
    description:
      'Works at any time, also after success. The record gets a new attempt at once, under the ' +
      'same webhook-id, and its schedule of retries begins anew.',
  },
  input: { params: Type.Object({ id: Type.String() }) },
  output: Type.Object({ success: Type.Literal(true), message: Type.String() }),
  example: { output: { success: true, message: 'Webhook resent successfully.' } },
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_URL_NOT_SET'],
  async handle({ access, params }, { webhooks }) {
    await webhooks.resend(access, params.id)
    return { success: true as const, message: 'Webhook resent successfully.' }
  },
})
