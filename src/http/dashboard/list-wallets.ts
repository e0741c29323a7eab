import Type from 'typebox'
import { walletsOf } from '../../ledger/wallets.ts'
import { knownCurrency } from '../../money/currencies.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, showWallet, Text, WalletView } from './view-answers.ts'

export const listWallets = dashboardRoute({
  method: 'GET',
  path: '/wallets',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewWallets', summary: 'The wallets of the account' },
  input: {},
  output: answerOf(Type.Array(Type.Object({ ...WalletView.properties, name: Text }))),
  async handle({ access }, { db }) {
    const wallets = await walletsOf(db, access)
    const data = wallets.map((wallet) => ({
      ...showWallet(wallet),
      name: knownCurrency(wallet.currency).name,
    }))
    return { success: true as const, data }
  },
})
