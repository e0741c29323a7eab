import { Readable } from 'node:stream'
import Type from 'typebox'
import { exportTransactions as linesOf } from '../../transactions/export.ts'
import { dashboardRoute, FileAnswer } from './dashboard-route.ts'
import { readFilter, transactionFilter } from './transaction-filter.ts'

export const exportTransactions = dashboardRoute({
  method: 'GET',
  path: '/transactions.csv',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'exportTransactions', summary: 'Save the transactions that a filter finds' },
  input: { query: Type.Object(transactionFilter) },
  output: Type.String(),
  perMinute: 20,
  async handle({ access, query }, { db, clock }) {
    const lines = linesOf(db, access, readFilter(query, access.timeZone))
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const name = `transactions-${access.environment}-${day}.csv`
    return new FileAnswer(name, 'text/csv; charset=utf-8', Readable.from(lines))
  },
})
