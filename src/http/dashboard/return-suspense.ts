import { returnAccountSuspense } from '../../charges/account-suspense.ts'
import { personActor } from '../../merchants/audit.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, IdParams, SuspenseView, showSuspense } from './view-answers.ts'

export const returnSuspense = dashboardRoute({
  method: 'POST',
  path: '/suspense/:id/return',
  perAccount: true,
  may: ['owner', 'finance'],
  about: { id: 'returnSuspense', summary: 'Book money in suspense back to its rail' },
  input: { params: IdParams },
  output: answerOf(SuspenseView),
  async handle({ access, params, person }, { db, ids, clock }) {
    const parts = { db, ids, actor: personActor(person.personId), now: new Date(clock.now()) }
    const item = await returnAccountSuspense(parts, access, params.id)
    return { success: true as const, data: showSuspense(item) }
  },
})
