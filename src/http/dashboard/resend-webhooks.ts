import Type from 'typebox'
import { validationError } from '../../errors.ts'
import { audit, personActor } from '../../merchants/audit.ts'
import { idPeriod } from '../../transactions/period.ts'
import { maxResentByIds, resendByIds, resendFailed } from '../../webhooks/resend-many.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, Moment } from './view-answers.ts'

export const resendWebhooks = dashboardRoute({
  method: 'POST',
  path: '/webhooks/resend',
  perAccount: true,
  may: ['owner', 'developer'],
  about: { id: 'resendWebhooks', summary: 'Send records again: some, or the failed of a period' },
  input: {
    body: Type.Object({
      ids: Type.Optional(
        Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: maxResentByIds }),
      ),
      status: Type.Optional(Type.Literal('FAILED')),
      ...{ from: Moment, to: Moment },
    }),
  },
  output: answerOf(Type.Object({ count: Type.Integer() })),
  async handle({ access, body, person }, { db, ids, clock, webhooks }) {
    if ((body.ids === undefined) === (body.status === undefined)) {
      throw validationError('say either ids, or status FAILED with from and to.')
    }
    const count = body.ids
      ? await resendByIds(db, clock, access, body.ids)
      : await resendFailed(db, clock, access, idPeriod(body, access.timeZone))
    await audit(db, ids, {
      ...{ actor: personActor(person.personId), action: 'webhook.resend_many' },
      ...{ subject: access.accountId, accountId: access.accountId },
      detail: { count, from: body.from ?? null, to: body.to ?? null },
    })
    webhooks.wake()
    return { success: true as const, data: { count } }
  },
})
