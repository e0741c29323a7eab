import Type from 'typebox'
import { dashboardRoute } from './dashboard-route.ts'
import { ownWallet, statementLines } from './statement-lines.ts'
import { IdParams, Limit, listOf, Text, TextOrNull } from './view-answers.ts'

const Line = Type.Object({
  seq: Text,
  at: Text,
  transactionId: Text,
  reference: TextOrNull,
  step: Text,
  debit: Text,
  credit: Text,
  currency: Text,
  amount: Text,
  heldChange: Text,
  availableAfter: Text,
  heldAfter: Text,
})

export const readStatement = dashboardRoute({
  method: 'GET',
  path: '/wallets/:id/statement',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewStatement', summary: 'What moved in a wallet, newest first' },
  input: {
    params: IdParams,
    query: Type.Object({
      after: Type.Optional(Type.String({ pattern: '^\\d{1,18}$' })),
      limit: Limit,
    }),
  },
  output: listOf(Line),
  async handle({ access, params, query }, { db }) {
    const wallet = await ownWallet(db, access, params.id)
    const after = query.after === undefined ? undefined : BigInt(query.after)
    const page = { after, limit: query.limit, newestFirst: true }
    const data = await statementLines(db, access, wallet, page)
    // The first line has the number 1.
    const last = data.at(-1)?.seq
    return { success: true as const, data, next: last === undefined || last === '1' ? null : last }
  },
})
