import Type from 'typebox'
import { accountSums } from '../../ledger/account-sums.ts'
import { decimalFromMinor } from '../../money/amounts.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, Text } from './view-answers.ts'

const Sum = Type.Object({
  account: Text,
  currency: Text,
  debits: Text,
  credits: Text,
  balance: Text,
})

export const readTrialBalance = dashboardRoute({
  method: 'GET',
  path: '/trial-balance',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewTrialBalance', summary: 'The ledger, as far as the account moved money in it' },
  input: {},
  output: answerOf(Type.Array(Sum)),
  async handle({ access }, { db }) {
    const sums = await accountSums(db, access)
    const data = sums.map(({ account, currency, debits, credits }) => ({
      ...{ account, currency },
      debits: decimalFromMinor(debits, currency),
      credits: decimalFromMinor(credits, currency),
      balance: decimalFromMinor(credits - debits, currency),
    }))
    return { success: true as const, data }
  },
})
