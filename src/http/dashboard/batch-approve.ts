import { actorOf, BatchParams, keyOf, OneBatch, oneBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const approveBatch = dashboardRoute({
  method: 'POST',
  path: '/batches/:id/approve',
  perAccount: true,
  may: ['owner', 'finance'] as const,
  about: { id: 'approveBatch', summary: 'Let a batch be paid that another person made' },
  input: { params: BatchParams },
  output: OneBatch,
  async handle({ access, person, params }, { batches }) {
    return oneBatch(await batches.approve(keyOf(access, params), actorOf(person)))
  },
})
