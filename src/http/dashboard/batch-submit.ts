import Type from 'typebox'
import { actorOf, BatchParams, keyOf, OneBatch, oneBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const submitBatch = dashboardRoute({
  method: 'POST',
  path: '/batches/:id/submit',
  perAccount: true,
  may: ['owner', 'finance'] as const,
  about: { id: 'submitBatch', summary: 'Pay a batch, or ask a second person to approve it' },
  input: {
    params: BatchParams,
    body: Type.Object({
      skipInvalid: Type.Boolean({ description: 'Whether to pay the rest where lines are wrong.' }),
    }),
  },
  output: OneBatch,
  async handle({ access, person, params, body }, { batches }) {
    return oneBatch(await batches.submit(keyOf(access, params), actorOf(person), body))
  },
})
