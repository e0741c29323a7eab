import { creditAccountSuspense } from '../../charges/account-suspense.ts'
import { personActor } from '../../merchants/audit.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, IdParams, SuspenseView, showSuspense } from './view-answers.ts'

export const creditSuspense = dashboardRoute({
  method: 'POST',
  path: '/suspense/:id/credit',
  perAccount: true,
  may: ['owner', 'finance'],
  about: { id: 'creditSuspense', summary: 'Give money in suspense to the wallet it was meant for' },
  input: { params: IdParams },
  output: answerOf(SuspenseView),
  async handle({ access, params, person }, { db, ids, clock }) {
    const parts = { db, ids, actor: personActor(person.personId), now: new Date(clock.now()) }
    const item = await creditAccountSuspense(parts, access, params.id)
    return { success: true as const, data: showSuspense(item) }
  },
})
