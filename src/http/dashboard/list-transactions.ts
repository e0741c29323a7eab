import Type from 'typebox'
import { showRow } from '../../transactions/row.ts'
import { searchTransactions } from '../../transactions/search.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { readFilter, transactionFilter } from './transaction-filter.ts'
import { After, Limit, listOf, TransactionView } from './view-answers.ts'

export const listTransactions = dashboardRoute({
  method: 'GET',
  path: '/transactions',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewTransactions', summary: 'Find transactions, newest first' },
  input: { query: Type.Object({ ...transactionFilter, after: After, limit: Limit }) },
  output: listOf(TransactionView),
  async handle({ access, query }, { db }) {
    const { after, limit } = query
    const filter = { ...readFilter(query, access.timeZone), after, limit }
    const { rows, next } = await searchTransactions(db, access, filter)
    return { success: true as const, data: rows.map(showRow), next }
  },
})
