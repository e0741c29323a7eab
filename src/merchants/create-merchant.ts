import { randomInt } from 'node:crypto'
import { isUniqueViolation } from '../db/faults.ts'
import type { Db, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Environment } from '../environment.ts'
import { validationError } from '../errors.ts'
import { type Ids, slotCount } from '../ids.ts'
import { postTransfers } from '../ledger/post.ts'
import { openWallet } from '../ledger/wallets.ts'
import { minorFromNumber } from '../money/amounts.ts'
import { currencies } from '../money/currencies.ts'
import type { Seal } from '../seal.ts'
import type { Account, Merchant } from './account.ts'
import { audit } from './audit.ts'
import { type CreatedCredential, insertCredential } from './credentials.ts'
import { newWebhookSecret } from './keys.ts'
import { insertWebhookSecret } from './webhook-settings.ts'

export type NewMerchant = { name: string; firstName: string; lastName: string; email: string }

/** Everything a new merchant is handed once: the keys are shown here and never again. */
export type CreatedAccount = { account: Account; webhookSecret: string } & CreatedCredential
export type CreatedMerchant = {
  merchant: Merchant
  sandbox: CreatedAccount
  live: CreatedAccount
}

const sandboxFundsMajor = 100_000_000

export async function createMerchant(
  db: Db,
  ids: Ids,
  seal: Seal,
  actor: string,
  request: NewMerchant,
): Promise<CreatedMerchant> {
  const checked = checkedMerchant(request)
  try {
    return await transaction(db, (tx) => insertMerchant(tx, ids, seal, actor, checked))
  } catch (error) {
    if (!isUniqueViolation(error, 'merchants_by_email')) throw error
    throw validationError(`there is a merchant with the email ${checked.email} already.`)
  }
}

export async function insertMerchant(
  tx: Tx,
  ids: Ids,
  seal: Seal,
  actor: string,
  request: NewMerchant,
): Promise<CreatedMerchant> {
  const [merchant] = await tx<Merchant[]>`
    insert into merchants (id, name, first_name, last_name, email)
    values (${ids.next(0)}, ${request.name}, ${request.firstName}, ${request.lastName},
      ${request.email})
    returning id, name, first_name as "firstName", last_name as "lastName", email,
      created_at as "createdAt"`
  const sandbox = await createAccount(tx, ids, seal, merchant!.id, 'sandbox')
  const live = await createAccount(tx, ids, seal, merchant!.id, 'live')
  await fundSandbox(tx, ids, sandbox.account)
  await audit(tx, ids, {
    actor,
    action: 'merchant.create',
    subject: merchant!.id,
    merchantId: merchant!.id,
    detail: { name: request.name },
  })
  return { merchant: merchant!, sandbox, live }
}

async function createAccount(
  tx: Tx,
  ids: Ids,
  seal: Seal,
  merchantId: string,
  environment: Environment,
): Promise<CreatedAccount> {
  const slot = randomInt(slotCount)
  const [account] = await tx<Account[]>`
    insert into accounts (id, slot, merchant_id, environment)
    values (${ids.next(slot)}, ${slot}, ${merchantId}, ${environment})
    returning id, slot, merchant_id as "merchantId", environment, time_zone as "timeZone",
      webhook_url as "webhookUrl"`
  const webhookSecret = newWebhookSecret()
  await insertWebhookSecret(tx, ids, seal, account!, webhookSecret)
  const created = await insertCredential(tx, ids, account!, { name: 'first key' })
  return { account: account!, webhookSecret, ...created }
}

/** Play money, so that the first payout needs no preparation. */
async function fundSandbox(tx: Tx, ids: Ids, account: Account): Promise<void> {
  const { id: accountId, slot, environment } = account
  const postings = []
  for (const { code, fundedScopes } of currencies) {
    for (const country of fundedScopes) {
      const owner = { accountId, slot, environment }
      const wallet = await openWallet(tx, ids, owner, { currency: code, country })
      postings.push({
        slot,
        transactionId: ids.next(slot),
        environment,
        transfers: [
          {
            step: 'sandbox funds',
            debit: 'funding',
            credit: 'wallet',
            amount: minorFromNumber(sandboxFundsMajor, code),
            currency: code,
            walletId: wallet.id,
          } as const,
        ],
      })
    }
  }
  await postTransfers(tx, postings)
}

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

function checkedMerchant(request: NewMerchant): NewMerchant {
  const text = (field: keyof NewMerchant, maxLength: number) => {
    const value = request[field].trim()
    if (value.length >= 1 && value.length <= maxLength) return value
    throw validationError(`${field} has 1 to ${maxLength} characters.`)
  }
  const email = text('email', 254)
  if (!emailShape.test(email)) throw validationError('email is not an e-mail address.')
  return {
    name: text('name', 200),
    firstName: text('firstName', 100),
    lastName: text('lastName', 100),
    email,
  }
}
