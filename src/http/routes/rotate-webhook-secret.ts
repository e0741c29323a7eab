import Type from 'typebox'
import { actorOf } from '../../merchants/audit.ts'
import {
  rotateWebhookSecret as rotate,
  secretOverlapSeconds,
} from '../../merchants/webhook-settings.ts'
import { route } from '../route.ts'

export const rotateWebhookSecret = route({
  method: 'POST',
  path: '/users/webhooks/rotate-secret',
  auth: 'webhooks',
  about: {
    id: 'rotateWebhookSecret',
    tag: 'User',
    summary: 'Replace the secret that events are signed with',
    description:
      'The new secret is shown here once. For a day events are signed with both, so a receiver ' +
      'can change over at any time within it.',
  },
  input: {},
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({
      secret: Type.String({ description: 'Keep it: it is not shown again.' }),
      previousExpiresAt: Type.String({ description: 'Until when the old one signs too.' }),
    }),
  }),
  example: {
    output: {
      success: true,
      message: 'Webhook secret rotated successfully.',
      data: {
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
        previousExpiresAt: '2025-09-03T09:30:00.000Z',
      },
    },
  },
  errors: [],
  async handle({ access }, { db, ids, seal }) {
    const actor = actorOf(access)
    const account = { id: access.accountId, slot: access.slot }
    const rotated = await rotate(db, ids, seal, actor, account, secretOverlapSeconds)
    return {
      success: true as const,
      message: 'Webhook secret rotated successfully.',
      data: {
        secret: rotated.secret,
        previousExpiresAt: rotated.previousExpiresAt.toISOString(),
      },
    }
  },
})
