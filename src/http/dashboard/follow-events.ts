import Type from 'typebox'
import { dashboardRoute, FileAnswer } from './dashboard-route.ts'

export const followEvents = dashboardRoute({
  method: 'GET',
  path: '/events',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'followEvents', summary: 'A stream of what happens in the account' },
  input: {},
  output: Type.String(),
  perMinute: 60,
  async handle({ access, person, setHeader }, { live }) {
    // A proxy that gathers answers would keep the news to itself.
    setHeader('x-accel-buffering', 'no')
    const { accountId, slot } = access
    const stream = live.follow({ accountId, slot, personId: person.personId })
    return new FileAnswer('', 'text/event-stream; charset=utf-8', stream)
  },
})
