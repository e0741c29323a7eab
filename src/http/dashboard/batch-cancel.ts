import { actorOf, BatchParams, keyOf, OneBatch, oneBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const cancelBatch = dashboardRoute({
  method: 'POST',
  path: '/batches/:id/cancel',
  perAccount: true,
  may: ['owner', 'finance'] as const,
  about: { id: 'cancelBatch', summary: 'Give up a batch of which nothing is paid' },
  input: { params: BatchParams },
  output: OneBatch,
  async handle({ access, person, params }, { batches }) {
    return oneBatch(await batches.cancel(keyOf(access, params), actorOf(person)))
  },
})
