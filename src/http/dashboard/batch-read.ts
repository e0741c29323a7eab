import { BatchParams, keyOf, OneBatch, oneBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const readBatch = dashboardRoute({
  method: 'GET',
  path: '/batches/:id',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'readBatch', summary: 'Read a batch and how far it is' },
  input: { params: BatchParams },
  output: OneBatch,
  async handle({ access, params }, { batches }) {
    return oneBatch(await batches.read(keyOf(access, params)))
  },
})
