import { changeSettings } from './change-settings.ts'
import { createKey } from './create-key.ts'
import { creditSuspense } from './credit-suspense.ts'
import type { DashboardRoute } from './dashboard-route.ts'
import { exportStatement } from './export-statement.ts'
import { exportTransactions } from './export-transactions.ts'
import { followEvents } from './follow-events.ts'
import { listKeys } from './list-keys.ts'
import { listRequests } from './list-requests.ts'
import { listSuspense } from './list-suspense.ts'
import { listTransactions } from './list-transactions.ts'
import { listWallets } from './list-wallets.ts'
import { listWebhooks } from './list-webhooks.ts'
import { readOverview } from './read-overview.ts'
import { readSettings } from './read-settings.ts'
import { readStatement } from './read-statement.ts'
import { readTransaction } from './read-transaction.ts'
import { readTrialBalance } from './read-trial-balance.ts'
import { readWebhook } from './read-webhook.ts'
import { readWebhookSettings } from './read-webhook-settings.ts'
import { resendWebhooks } from './resend-webhooks.ts'
import { resumeWebhooks } from './resume-webhooks.ts'
import { returnSuspense } from './return-suspense.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

/** What people look at, and the few things they change while they do. */
export const viewRoutes: readonly DashboardRoute[] = [
  readOverview,
  listTransactions,
  exportTransactions,
  readTransaction,
  listWallets,
  readStatement,
  exportStatement,
  readTrialBalance,
  listSuspense,
  creditSuspense,
  returnSuspense,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
  readWebhookSettings,
  resumeWebhooks,
  listWebhooks,
  readWebhook,
  resendWebhooks,
  listRequests,
  followEvents,
  readSettings,
  changeSettings,
]
