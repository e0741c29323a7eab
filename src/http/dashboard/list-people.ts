import Type from 'typebox'
import { listPeople as list, maxPeoplePerMerchant } from '../../people/manage.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { PersonFields, showPerson } from './show-person.ts'

export const listPeople = dashboardRoute({
  method: 'GET',
  path: '/people',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'listPeople', summary: 'Everybody of this merchant' },
  input: {},
  output: Type.Object({ success: Type.Literal(true), data: Type.Array(PersonFields) }),
  async handle({ person }, { db }) {
    const people = await list(db, person.merchantId, maxPeoplePerMerchant)
    return { success: true as const, data: people.map(showPerson) }
  },
})
