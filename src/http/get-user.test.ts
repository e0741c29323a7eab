import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  getUser,
  keysOf,
  makeMerchant,
  putWebhooks,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { createLedger } from '../ledger/ledger.ts'
import { openWallet, walletsOf } from '../ledger/wallets.ts'
import type { CreatedAccount } from '../merchants/create-merchant.ts'
import { currencies } from '../money/currencies.ts'

const node = await startLoneNode({ after })
const { db, ids } = node

type Wallets = { currency: string; country: string; balance: number; reserved: number }[]
type Profile = Record<string, unknown> & { wallets: Wallets }

async function profileOf(created: CreatedAccount): Promise<Profile> {
  const { status, body } = await node.send(getUser(await tokenFor(node, keysOf(created))))
  assert.equal(status, 200)
  return body as Profile
}

/** Puts money into a wallet, in minor units, and sets some of it aside. */
async function fund(
  { account }: CreatedAccount,
  scope: { currency: string; country: string },
  amount: bigint,
  held = 0n,
): Promise<void> {
  const { id: accountId, slot, environment } = account
  const { id: walletId } = await openWallet(db, ids, { accountId, slot, environment }, scope)
  const { currency } = scope
  const ledger = createLedger(db)
  const transfers = [
    { step: 'in', debit: 'funding', credit: 'wallet', amount, currency, walletId } as const,
    { step: 'hold', debit: 'wallet', credit: 'held', amount: held, currency, walletId } as const,
  ]
  const outcome = await ledger.post({
    slot,
    transactionId: ids.next(slot),
    environment,
    transfers: transfers.filter((transfer) => transfer.amount > 0n),
  })
  assert.deepEqual(outcome, { kind: 'recorded' })
}

test('the profile has the fields of the specification at top level, with their types', async () => {
  const { merchant, sandbox } = await makeMerchant(db)
  const profile = await profileOf(sandbox)
  const { success, firstName, lastName, email, publicKey, webhookUrl, sandboxWebhookUrl } = profile
  assert.deepEqual(
    { success, firstName, lastName, email, publicKey, webhookUrl, sandboxWebhookUrl },
    {
      success: true,
      firstName: merchant.firstName,
      lastName: merchant.lastName,
      email: merchant.email,
      publicKey: sandbox.credential.publicKey,
      webhookUrl: '',
      sandboxWebhookUrl: '',
    },
  )
  assert.deepEqual(profile.KESWallet, { balance: 100_000_000 })
  const named = Object.keys(profile).filter((field) => field.endsWith('Wallet'))
  assert.deepEqual(
    named.sort(),
    currencies.map(({ code }) => `${code}Wallet`),
  )
  assert.equal(Object.keys(profile).length, 8 + currencies.length)
})

test('a currency in several countries shows its total, and each country in the list', async () => {
  const { sandbox } = await makeMerchant(db)
  const { XOFWallet, wallets } = await profileOf(sandbox)
  const parts = wallets.filter(({ currency }) => currency === 'XOF')
  assert.ok(parts.length > 1)
  const total = parts.reduce((sum, { balance }) => sum + balance, 0)
  assert.deepEqual(XOFWallet, { balance: total })
  for (const part of parts) {
    assert.deepEqual(Object.keys(part), ['currency', 'country', 'balance', 'reserved'])
    assert.deepEqual([part.balance, part.reserved], [100_000_000, 0])
  }
})

test('a live profile shows what the live account holds and nothing of the sandbox', async () => {
  const { sandbox, live } = await makeMerchant(db)
  const empty = await profileOf(live)
  assert.deepEqual(empty.wallets, [])
  assert.deepEqual(
    Object.keys(empty).filter((field) => field.endsWith('Wallet')),
    [],
  )
  assert.equal(empty.publicKey, live.credential.publicKey)
  await fund(live, { currency: 'KES', country: 'KE' }, 700n)
  assert.deepEqual((await profileOf(live)).KESWallet, { balance: 7 })
  assert.deepEqual((await profileOf(sandbox)).KESWallet, { balance: 100_000_000 })
})

test('balances are exact in major units, whole ones without a point, held money apart', async () => {
  const { live } = await makeMerchant(db)
  await fund(live, { currency: 'KES', country: 'KE' }, 2_620_055n, 120_005n)
  await fund(live, { currency: 'USD', country: 'US' }, 10n)
  await fund(live, { currency: 'USD', country: 'KE' }, 20n)
  await fund(live, { currency: 'UGX', country: 'UG' }, 5_000n)
  await fund(live, { currency: 'NGN', country: 'NG' }, 999_999_999_999_999n)
  const { text } = await node.send(getUser(await tokenFor(node, keysOf(live))))
  const profile = JSON.parse(text) as Profile
  assert.deepEqual(profile.KESWallet, { balance: 25_000.5 })
  // In binary fractions 0.1 and 0.2 are not 0.3; in minor units they are.
  assert.match(text, /"USDWallet":\{"balance":0\.3\}/)
  assert.match(text, /"UGXWallet":\{"balance":5000\}/)
  assert.match(text, /"NGNWallet":\{"balance":9999999999999\.99\}/)
  const kes = profile.wallets.find(({ currency }) => currency === 'KES')
  assert.deepEqual(kes, { currency: 'KES', country: 'KE', balance: 25_000.5, reserved: 1200.05 })
})

test('nobody sees wallets of another merchant, also where both live in one slot', async () => {
  const [one, two] = [await makeMerchant(db), await makeMerchant(db)]
  await db`
    update wallets set available = available where account_id = ${one.sandbox.account.id}`
  await fund(one.live, { currency: 'KES', country: 'KE' }, 100n)
  const slot = one.live.account.slot
  const neighbour = await moveToSlot(two.live, slot)
  await fund(neighbour, { currency: 'KES', country: 'KE' }, 900n)
  assert.deepEqual((await profileOf(one.live)).KESWallet, { balance: 1 })
  assert.deepEqual((await profileOf(neighbour)).KESWallet, { balance: 9 })
  const { id: accountId, environment } = neighbour.account
  assert.equal((await walletsOf(db, { accountId, slot, environment })).length, 1)
})

/** An account that has no records yet can be given another slot. */
async function moveToSlot(created: CreatedAccount, slot: number): Promise<CreatedAccount> {
  await db`update accounts set slot = ${slot} where id = ${created.account.id}`
  return { ...created, account: { ...created.account, slot } }
}

test('the profile shows the webhook URLs of both environments to both tokens', async () => {
  const { sandbox, live } = await makeMerchant(db)
  const urls = {
    webhookUrl: 'https://shop.example/live',
    sandboxWebhookUrl: 'https://shop.example/sandbox',
  }
  const token = await tokenFor(node, keysOf(live))
  assert.equal((await node.send(putWebhooks(token, urls))).status, 200)
  for (const created of [sandbox, live]) {
    const { webhookUrl, sandboxWebhookUrl } = await profileOf(created)
    assert.deepEqual({ webhookUrl, sandboxWebhookUrl }, urls)
  }
})

test('the profile of a merchant that is gone is the refusal of the specification', async (t) => {
  const lone = await startLoneNode(t)
  const { live, merchant } = await makeMerchant(lone.db)
  const token = await tokenFor(lone, keysOf(live))
  await lone.db`
    delete from webhook_secrets where account_id in (
      select id from accounts where merchant_id = ${merchant.id} and environment = 'sandbox')`
  await lone.db`alter table accounts drop constraint accounts_merchant_id_fkey`
  await lone.db`alter table audit_log drop constraint audit_log_merchant_id_fkey`
  await lone.db`delete from merchants where id = ${merchant.id}`
  const { status, body } = await lone.send(getUser(token))
  assert.equal(status, 404)
  assert.deepEqual(body, {
    success: false,
    message: 'User does not exist',
    errorCode: 'E-B2B-S-118',
  })
})
