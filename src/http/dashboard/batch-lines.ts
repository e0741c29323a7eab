import Type from 'typebox'
import { BatchParams, keyOf, LineAnswer, LineState, showLine } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const listBatchLines = dashboardRoute({
  method: 'GET',
  path: '/batches/:id/lines',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'listBatchLines', summary: 'List the lines of a batch in the order of its file' },
  input: {
    params: BatchParams,
    query: Type.Object({
      state: Type.Optional(LineState),
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(LineAnswer),
    next: Type.Union([Type.String(), Type.Null()]),
  }),
  async handle({ access, params, query }, { batches }) {
    const lines = await batches.lines(keyOf(access, params), query)
    const next = lines.length < query.limit ? null : String(lines.at(-1)!.line)
    return { success: true as const, data: lines.map(showLine), next }
  },
})
