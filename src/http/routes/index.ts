import type { Route } from '../route.ts'
import { authoriseCharge } from './authorise-charge.ts'
import { createBankTransferCharge } from './create-bank-transfer-charge.ts'
import { createCardCharge } from './create-card-charge.ts'
import { createExternalAccount } from './create-external-account.ts'
import { createMomoCharge } from './create-momo-charge.ts'
import { createPayout } from './create-payout.ts'
import { deleteExternalAccount } from './delete-external-account.ts'
import { generateBearerToken } from './generate-bearer-token.ts'
import { getRate } from './get-rate.ts'
import { getUser } from './get-user.ts'
import { listBanks } from './list-banks.ts'
import { listBranches } from './list-branches.ts'
import { listCountries } from './list-countries.ts'
import { listExternalAccounts } from './list-external-accounts.ts'
import { listHistoricalRates } from './list-historical-rates.ts'
import { listMobileMoneyOperators } from './list-mobile-money-operators.ts'
import { listTransactions } from './list-transactions.ts'
import { listWebhooks } from './list-webhooks.ts'
import { readExternalAccount } from './read-external-account.ts'
import { readTransaction } from './read-transaction.ts'
import { readWebhook, readWebhookOfList } from './read-webhook.ts'
import { resendWebhook } from './resend-webhook.ts'
import { resolveAccount } from './resolve-account.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { putWebhookUrls } from './set-webhook-urls.ts'
import { simulateBankTransfer } from './simulate-bank-transfer.ts'
import { simulateWebhook } from './simulate-webhook.ts'
import { updateExternalAccount } from './update-external-account.ts'

/** Every operation of the API. */
export const routes: readonly Route[] = [
  generateBearerToken,
  getUser,
  putWebhookUrls,
  rotateWebhookSecret,
  createExternalAccount,
  listExternalAccounts,
  readExternalAccount,
  updateExternalAccount,
  deleteExternalAccount,
  createCardCharge,
  createMomoCharge,
  createBankTransferCharge,
  authoriseCharge,
  simulateBankTransfer,
  createPayout,
  listTransactions,
  readTransaction,
  listWebhooks,
  readWebhook,
  readWebhookOfList,
  resendWebhook,
  resolveAccount,
  listCountries,
  listBanks,
  listBranches,
  listMobileMoneyOperators,
  listHistoricalRates,
  getRate,
  simulateWebhook,
]
