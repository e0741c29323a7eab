import Type from 'typebox'
import { validationError } from '../../errors.ts'
import { audit, personActor } from '../../merchants/audit.ts'
import { resumeDelivery } from '../../webhooks/pauses.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf } from './view-answers.ts'

export const resumeWebhooks = dashboardRoute({
  method: 'POST',
  path: '/webhook-settings/resume',
  perAccount: true,
  may: ['owner', 'developer'],
  about: { id: 'resumeWebhooks', summary: 'End a pause, and send what was missed' },
  input: {
    body: Type.Object({ since: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })) }),
  },
  output: answerOf(Type.Object({ count: Type.Integer() })),
  async handle({ access, body, person }, { db, ids, webhooks }) {
    const { accountId, slot } = access
    const since = body.since === undefined ? undefined : momentOf(body.since)
    await audit(db, ids, {
      ...{ actor: personActor(person.personId), action: 'webhook.resume' },
      ...{ subject: accountId, accountId, detail: { since: since?.toISOString() ?? null } },
    })
    const count = await resumeDelivery(db, { id: accountId, slot }, since)
    webhooks.wake()
    return { success: true as const, data: { count } }
  },
})

function momentOf(text: string): Date {
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds)
  } catch {
    throw validationError('since must be a moment such as 2026-01-31T12:00:00Z.')
  }
}
