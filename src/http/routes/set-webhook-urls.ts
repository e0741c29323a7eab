import Type from 'typebox'
import { AppError } from '../../errors.ts'
import { actorOf } from '../../merchants/audit.ts'
import { setWebhookUrls } from '../../merchants/webhook-settings.ts'
import { route } from '../route.ts'

const Url = Type.Optional(Type.Union([Type.String({ maxLength: 2048 }), Type.Null()]))

export const putWebhookUrls = route({
  method: 'PUT',
  path: '/users/webhooks',
  auth: 'webhooks',
  about: {
    id: 'setWebhookUrls',
    tag: 'User',
    summary: 'Set where events are sent',
    description:
      'A field that is absent stays as it is; null or an empty text takes the URL away. Live ' +
      'events go to https on public addresses only. A sandbox token can set the sandbox URL only.',
  },
  input: { body: Type.Object({ webhookUrl: Url, sandboxWebhookUrl: Url }) },
  output: Type.Object({ success: Type.Literal(true), message: Type.String() }),
  example: {
    body: { sandboxWebhookUrl: 'https://shop.example/malipo-sandbox' },
    output: { success: true, message: 'Webhook URLs updated successfully.' },
  },
  errors: [],
  async handle({ access, body }, { db, ids, config }) {
    if (access.environment === 'sandbox' && body.webhookUrl !== undefined) {
      throw new AppError('FORBIDDEN', {
        message: 'A sandbox token cannot change where live events go. Use a live token.',
      })
    }
    const urls = Object.fromEntries(
      Object.entries(body).map(([field, url]) => [field, url === '' ? null : url]),
    )
    const actor = actorOf(access)
    const { loopbackWebhooks } = config
    await setWebhookUrls(db, ids, actor, access.merchantId, urls, loopbackWebhooks)
    return { success: true as const, message: 'Webhook URLs updated successfully.' }
  },
})
