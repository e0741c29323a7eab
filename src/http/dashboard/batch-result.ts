import { Readable } from 'node:stream'
import Type from 'typebox'
import { BatchParams, keyOf } from './batch-answer.ts'
import { dashboardRoute, FileAnswer } from './dashboard-route.ts'

export const downloadBatchResult = dashboardRoute({
  method: 'GET',
  path: '/batches/:id/result.csv',
  perAccount: true,
  may: 'signed-in',
  about: {
    id: 'downloadBatchResult',
    summary: 'Save the lines of a batch with what became of them',
  },
  input: { params: BatchParams },
  output: Type.String(),
  async handle({ access, params }, { batches }) {
    const { batch, pieces } = await batches.result(keyOf(access, params))
    const name = `batch-${batch.id}.csv`
    return new FileAnswer(name, 'text/csv; charset=utf-8', Readable.from(pieces))
  },
})
