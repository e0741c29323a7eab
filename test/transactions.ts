import assert from 'node:assert/strict'
import { manualClock } from '../src/clock.ts'
import type { Db } from '../src/db/pool.ts'
import { createIds, type Ids, timeOf } from '../src/ids.ts'
import { type Owner, openWallet } from '../src/ledger/wallets.ts'
import type { Account } from '../src/merchants/account.ts'
import { currency as currencyInfo } from '../src/money/currencies.ts'
import { type Answer, keysOf, makeMerchant, type TestNode, tokenFor } from './app-harness.ts'

export type TransactionFields = {
  id: string
  kind: string
  status: string
  external_reference: string
  method: string
  destination: string
  country: string
  currency: string
  amount: bigint
  wallet_currency: string
  wallet_amount: bigint
  fee: bigint
  exchange_rate: string | null
  account_name: string
  account_number: string
  code: string | null
  provider_reference: string | null
  failure_reason: string | null
  step_required: string | null
  redirect_url: string | null
  updated_at: Date
}

/** A record as if a payout had been made; no money moves. Answers with its id. */
export async function addTransaction(
  db: Db,
  ids: Ids,
  account: Account,
  fields: Partial<TransactionFields> = {},
): Promise<string> {
  const { slot, environment } = account
  const currency = fields.currency ?? 'KES'
  const walletCurrency = fields.wallet_currency ?? currency
  const scope = {
    currency: walletCurrency,
    country: currencyInfo(walletCurrency)!.defaultScope,
  }
  const wallet = await openWallet(db, ids, { accountId: account.id, slot, environment }, scope)
  const id = fields.id ?? ids.next(slot)
  const amount = fields.amount ?? 100_000n
  const status = fields.status ?? 'successful'
  await db`insert into transactions ${db({
    slot,
    id,
    account_id: account.id,
    environment,
    kind: 'payout',
    state: status,
    status,
    external_reference: `ref-${id}`,
    method: 'momo',
    destination: 'MoMo',
    country: 'KE',
    currency,
    amount,
    wallet_id: wallet.id,
    wallet_currency: walletCurrency,
    wallet_amount: fields.wallet_amount ?? amount,
    account_name: 'Achieng Otieno',
    account_number: '254700000000',
    code: 'mpesa',
    created_at: new Date(timeOf(id)),
    updated_at: new Date(timeOf(id)),
    ...fields,
  })}`
  return id
}

export type Item = Record<string, unknown> & { transactionId: string }
export type Shop = {
  owner: Owner & { timeZone: string }
  get(path: string): Promise<Answer>
  /** The ids of a page that must be answered. */
  page(query: string): Promise<string[]>
  add(fields?: Partial<TransactionFields>): Promise<string>
  idAt(iso: string): string
}

/** A merchant of its own, so that no test meets the records of another. */
export async function openShop(node: TestNode, timeZone = 'UTC'): Promise<Shop> {
  const { sandbox } = await makeMerchant(node.db)
  const { account } = sandbox
  await node.db`update accounts set time_zone = ${timeZone} where id = ${account.id}`
  const authorization = `Bearer ${await tokenFor(node, keysOf(sandbox))}`
  const get = (path: string) =>
    node.send({ method: 'GET', url: `/api/b2b/transactions${path}`, headers: { authorization } })
  const { id: accountId, slot, environment } = account
  return {
    owner: { accountId, slot, environment, timeZone },
    get,
    async page(query) {
      const { status, body } = await get(query)
      assert.equal(status, 200, query)
      return (body.data as Item[]).map(({ transactionId }) => transactionId)
    },
    add: (fields) => addTransaction(node.db, node.ids, account, fields),
    idAt: (iso) => createIds(manualClock(Date.parse(iso))).next(account.slot),
  }
}
