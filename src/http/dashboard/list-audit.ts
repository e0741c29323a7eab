import Type from 'typebox'
import { validationError } from '../../errors.ts'
import { slotOf } from '../../ids.ts'
import { listAudit as list } from '../../people/audit-entries.ts'
import { dashboardRoute } from './dashboard-route.ts'

const maxPage = 100
const defaultPage = 50

export const listAudit = dashboardRoute({
  method: 'GET',
  path: '/audit',
  perAccount: false,
  may: ['owner', 'finance', 'developer'],
  about: { id: 'listAudit', summary: 'What was changed, by whom and when' },
  input: {
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: 36 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPage, default: defaultPage })),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        at: Type.String(),
        actor: Type.String(),
        actorName: Type.String(),
        action: Type.String(),
        subject: Type.String(),
        detail: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    next: Type.Union([Type.String(), Type.Null()]),
  }),
  async handle({ person, query }, { db }) {
    const { after = null, limit = defaultPage } = query
    if (after !== null && slotOf(after) === undefined) {
      throw validationError('after is not the end of a page.')
    }
    const rows = await list(db, person.merchantId, { after, limit })
    const next = rows.length === limit ? rows.at(-1)!.id : null
    const data = rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
    return { success: true as const, data, next }
  },
})
