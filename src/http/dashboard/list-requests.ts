import Type from 'typebox'
import { listRequests as listPage } from '../../merchants/list-requests.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { After, Limit, listOf, Text, TextOrNull } from './view-answers.ts'

const Item = Type.Object({
  id: Text,
  at: Text,
  method: Text,
  path: Text,
  status: Type.Integer(),
  durationMs: Type.Integer(),
  requestId: Text,
  credential: Text,
  ip: Text,
  request: TextOrNull,
  answer: TextOrNull,
})
const classes = { '2xx': 2, '4xx': 4, '5xx': 5 } as const
const classNames = Object.keys(classes) as (keyof typeof classes)[]

export const listRequests = dashboardRoute({
  method: 'GET',
  path: '/requests',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'listRequests', summary: 'Requests of programs, secrets taken out, newest first' },
  input: {
    query: Type.Object({
      status: Type.Optional(Type.String({ enum: classNames })),
      path: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      ...{ after: After, limit: Limit },
    }),
  },
  output: listOf(Item),
  async handle({ access, query }, { db }) {
    const { path, after, limit } = query
    const name = classNames.find((each) => each === query.status)
    const statusClass = name === undefined ? undefined : classes[name]
    const { rows, next } = await listPage(db, access, { statusClass, path, after, limit })
    const data = rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
    return { success: true as const, data, next }
  },
})
