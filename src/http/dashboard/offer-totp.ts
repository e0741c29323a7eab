import Type from 'typebox'
import { offerTotp as offer } from '../../people/own-security.ts'
import { dashboardRoute } from './dashboard-route.ts'

export const offerTotp = dashboardRoute({
  method: 'POST',
  path: '/totp',
  perAccount: false,
  may: 'signed-in',
  about: { id: 'offerTotp', summary: 'Get a secret for an app that shows codes' },
  input: {},
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Object({ secret: Type.String(), url: Type.String() }),
  }),
  handle: async ({ person }, { people }) => ({
    success: true as const,
    data: await offer(people, person),
  }),
})
