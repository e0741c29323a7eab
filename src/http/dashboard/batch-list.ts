import Type from 'typebox'
import { BatchAnswer, showBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const listBatches = dashboardRoute({
  method: 'GET',
  path: '/batches',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'listBatches', summary: 'List batches, newest first' },
  input: {
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: 64 })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(BatchAnswer),
    next: Type.Union([Type.String(), Type.Null()]),
  }),
  async handle({ access, query }, { batches }) {
    const { slot, accountId } = access
    const page = await batches.list({ slot, accountId }, query)
    const next = page.length < query.limit ? null : page.at(-1)!.id
    return { success: true as const, data: page.map(showBatch), next }
  },
})
