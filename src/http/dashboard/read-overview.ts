import Type from 'typebox'
import { countToApprove } from '../../batches/watch.ts'
import { countOpenSuspense } from '../../charges/account-suspense.ts'
import { walletsOf } from '../../ledger/wallets.ts'
import { readWebhookSettings } from '../../merchants/read-webhook-settings.ts'
import type { Access } from '../../merchants/tokens.ts'
import { lowestIdAt } from '../../transactions/days.ts'
import {
  countStuck,
  maxCounted,
  readOverview as readActivity,
} from '../../transactions/overview.ts'
import { countFailedWebhooks } from '../../webhooks/search.ts'
import type { Dependencies } from '../dependencies.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, showWallet, Text, TextOrNull, timeOrNull, WalletView } from './view-answers.ts'

const recentMs = 7 * 86_400_000

const Flow = Type.Object({
  currency: TextOrNull,
  currencies: Type.Array(Text),
  days: Type.Array(Type.Object({ day: Text, in: Text, out: Text })),
})
const Success = Type.Object({
  kind: Text,
  method: Text,
  rail: Text,
  successful: Type.Integer(),
  failed: Type.Integer(),
  pending: Type.Integer(),
})
const Attention = Type.Object({
  stuck: Type.Integer(),
  suspense: Type.Integer(),
  failingWebhooks: Type.Integer(),
  webhooksFailingSince: TextOrNull,
  webhooksPausedAt: TextOrNull,
  batchesToApprove: Type.Integer(),
})

export const readOverview = dashboardRoute({
  method: 'GET',
  path: '/overview',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'readOverview', summary: 'Balances, money in and out, and what wants attention' },
  input: {
    query: Type.Object({
      days: Type.Integer({ enum: [7, 30, 90], default: 30 }),
      currency: Type.Optional(Type.String({ maxLength: 3 })),
    }),
  },
  output: answerOf(
    Type.Object({
      wallets: Type.Array(WalletView),
      flow: Flow,
      success: Type.Array(Success),
      attention: Attention,
    }),
  ),
  async handle({ access, query }, on) {
    const { db, clock } = on
    const [wallets, activity, attention] = await Promise.all([
      walletsOf(db, access),
      readActivity(db, access, query, clock.now()),
      attentionOf(on, access),
    ])
    const data = { wallets: wallets.map(showWallet), ...activity, attention }
    return { success: true as const, data }
  },
})

async function attentionOf({ db, clock }: Dependencies, access: Access) {
  const nowMs = clock.now()
  const fromId = lowestIdAt(nowMs - recentMs)
  const [stuck, suspense, failingWebhooks, settings, batchesToApprove] = await Promise.all([
    countStuck(db, access, nowMs),
    countOpenSuspense(db, access, maxCounted),
    countFailedWebhooks(db, access, { fromId, most: maxCounted }),
    readWebhookSettings(db, access.accountId),
    countToApprove(db, access),
  ])
  return {
    ...{ stuck, suspense, failingWebhooks, batchesToApprove },
    webhooksFailingSince: timeOrNull(settings.failingSince),
    webhooksPausedAt: timeOrNull(settings.pausedAt),
  }
}
