import Type from 'typebox'
import { listAccountSuspense } from '../../charges/account-suspense.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { After, Limit, listOf, SuspenseView, showSuspense } from './view-answers.ts'

export const listSuspense = dashboardRoute({
  method: 'GET',
  path: '/suspense',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewSuspense', summary: 'Money that arrived and settled nothing, newest first' },
  input: { query: Type.Object({ after: After, limit: Limit }) },
  output: listOf(SuspenseView),
  async handle({ access, query }, { db }) {
    const items = await listAccountSuspense(db, access, query)
    const next = items.length < query.limit ? null : items.at(-1)!.id
    return { success: true as const, data: items.map(showSuspense), next }
  },
})
