import Type from 'typebox'
import { maxFileBytes } from '../../batches/batch.ts'
import { actorOf, BatchAnswer, FileError, showBatch } from './batch-answer.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const createBatch = dashboardRoute({
  method: 'POST',
  path: '/batches',
  perAccount: true,
  may: ['owner', 'finance'] as const,
  about: { id: 'createBatch', summary: 'Check a file of payouts and keep it as a draft' },
  input: {
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      csv: Type.String({ minLength: 1, maxLength: maxFileBytes }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({
      ...BatchAnswer.properties,
      errors: Type.Array(FileError, { description: 'The first 1,000.' }),
    }),
  }),
  // In JSON every quote and every end of a line of the file takes two bytes.
  bodyLimitBytes: 2 * maxFileBytes,
  perMinute: 20,
  async handle({ access, person, body }, { batches }) {
    const { batch, errors } = await batches.create(access, actorOf(person), body)
    return { success: true as const, data: { ...showBatch(batch), errors } }
  },
})
