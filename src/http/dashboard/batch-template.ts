import { Readable } from 'node:stream'
import Type from 'typebox'
import { templateFile } from '../../batches/files.ts'
import { dashboardRoute, FileAnswer } from './dashboard-route.ts'

export const downloadBatchTemplate = dashboardRoute({
  method: 'GET',
  path: '/batches/template.csv',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'downloadBatchTemplate', summary: 'Save a file of payouts to begin with' },
  input: {},
  output: Type.String(),
  async handle() {
    const content = Readable.from([templateFile()])
    return new FileAnswer('payouts.csv', 'text/csv; charset=utf-8', content)
  },
})
