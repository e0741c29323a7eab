import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keysOf, startLoneNode, tokenFor } from '../../test/app-harness.ts'
import { waitFor } from '../../test/harness.ts'
import {
  deliverySettings,
  openWebhookShop,
  startReceiver,
  verify,
  type WebhookShop,
} from '../../test/receivers.ts'
import { checkLedger } from '../ledger/check.ts'
import { attendDue } from '../payouts/worker.ts'

const node = await startLoneNode({ after }, { settings: deliverySettings })
node.webhooks.startWork()
const path = '/utilities/simulate-webhook'

let made = 0
async function payOut(shop: WebhookShop, accountNumber = '254700000003'): Promise<string> {
  const externalReference = `order-${++made}`
  const { status, text } = await shop.post('/fiat/payout', {
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference },
    payoutMethod: { accountName: 'Achieng Otieno', accountNumber },
  })
  assert.equal(status, 200, text)
  return externalReference
}

async function stateOf(shop: WebhookShop, externalReference: string) {
  const { body } = await shop.get(`/transactions/${externalReference}`)
  const { status, failureReason } = body.data as Record<string, unknown>
  const [wallet] = await node.db<{ available: bigint; held: bigint }[]>`
    select available, held from wallets
    where account_id = ${shop.account.id} and currency = 'KES'`
  return { status, failureReason, ...wallet! }
}

const funds = 100_000_000_00n
const simulate = (shop: WebhookShop, externalReference: string, webhookStatus: unknown) =>
  shop.post(path, { externalReference, webhookStatus })

test('a pending payout really moves, its money included, and its event is sent', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const paid = await payOut(shop)
  const { status, body } = await simulate(shop, paid, 'successful')
  assert.deepEqual([status, body], [200, {}])
  const left = funds - 1000_00n
  assert.deepEqual(await stateOf(shop, paid), {
    ...{ status: 'SUCCESSFUL', failureReason: null, available: left, held: 0n },
  })
  const refused = await payOut(shop)
  await simulate(shop, refused, 'failed')
  assert.deepEqual(await stateOf(shop, refused), {
    ...{ status: 'FAILED', failureReason: 'Simulated.', available: left, held: 0n },
  })
  await waitFor(() => receiver.received.length === 4)
  const told = receiver.received.map((message) => verify(shop.webhookSecret, message).data)
  const of = (reference: string) =>
    told.filter((data) => data.externalReference === reference).map((data) => data.status)
  assert.deepEqual(of(paid), ['pending', 'successful'])
  assert.deepEqual(of(refused), ['pending', 'failed'])
  assert.deepEqual((await checkLedger(node.db)).problems, [])
})

test('a payout that was simulated is never sent to its rail, and its end stays', async () => {
  const shop = await openWebhookShop(node)
  for (const [outcome, shown] of [
    ['successful', 'SUCCESSFUL'],
    ['failed', 'FAILED'],
  ] as const) {
    const reference = await payOut(shop, '254700000000')
    await simulate(shop, reference, outcome)
    await attendDue(node.payouts.parts)
    const [row] = await node.db`
      select count(*)::int as sent from sandbox_rail_book b
      join transactions t on t.id::text = b.key
      where t.account_id = ${shop.account.id} and t.external_reference = ${reference}`
    assert.equal(row!.sent, 0)
    assert.equal((await stateOf(shop, reference)).status, shown)
  }
})

test('one that the rail has taken moves as well', async () => {
  const shop = await openWebhookShop(node)
  const reference = await payOut(shop)
  await attendDue(node.payouts.parts)
  await simulate(shop, reference, 'failed')
  const state = await stateOf(shop, reference)
  assert.deepEqual([state.status, state.available, state.held], ['FAILED', funds, 0n])
})

test('for a final one, and for pending, an event is sent and nothing moves', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const reference = await payOut(shop)
  await simulate(shop, reference, 'pending')
  assert.equal((await stateOf(shop, reference)).status, 'PENDING')
  await simulate(shop, reference, 'successful')
  const before = await stateOf(shop, reference)
  await simulate(shop, reference, 'failed')
  assert.deepEqual(await stateOf(shop, reference), before)
  await waitFor(() => receiver.received.length === 4)
  const told = receiver.received.map((message) => verify(shop.webhookSecret, message).data)
  assert.deepEqual(
    told.map(({ status, sequence }) => [status, sequence]),
    [
      ['pending', 1],
      ['pending', 2],
      ['successful', 3],
      ['failed', 4],
    ],
  )
})

test('an unknown reference is a 404, another value a 400, and a live token a 403 by either path', async () => {
  const shop = await openWebhookShop(node)
  const unknown = await simulate(shop, 'nothing', 'successful')
  assert.deepEqual([unknown.status, unknown.body.errorCode], [404, 'TRANSACTION_NOT_FOUND'])
  const reference = await payOut(shop)
  for (const value of ['SUCCESSFUL', 'done', '', 7, null, undefined]) {
    const { status, body } = await simulate(shop, reference, value)
    assert.deepEqual([status, body.errorCode], [400, 'VALIDATION_ERROR'], String(value))
  }
  const tokens = {
    live: await tokenFor(node, keysOf(shop.merchant.live)),
    sandbox: await tokenFor(node, keysOf(shop)),
  }
  const ask = (prefix: string, token: string) =>
    node.send({
      ...{ method: 'POST', url: prefix + path },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ externalReference: reference, webhookStatus: 'pending' }),
    })
  for (const prefix of ['/api/b2b', '/api/sandbox/b2b']) {
    const refused = await ask(prefix, tokens.live)
    assert.deepEqual([refused.status, refused.body.errorCode], [403, 'SANDBOX_ONLY'])
    assert.equal((await ask(prefix, tokens.sandbox)).status, 200)
  }
})
