import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { waitFor } from '../../test/harness.ts'
import { deliverySettings, openWebhookShop, startReceiver, verify } from '../../test/receivers.ts'

const node = await startLoneNode({ after }, { settings: deliverySettings })
node.webhooks.startWork()
const { db, ids } = node

test('a receiver with the Standard Webhooks library verifies every delivery', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const events = await addEvents(db, ids, shop.account, { transactions: 100, each: 2 })
  await waitFor(() => receiver.received.length >= events.length)
  assert.deepEqual(new Set(receiver.ids()), new Set(events.map(({ id }) => id)))
  for (const message of receiver.received) {
    const { event, data, timestamp } = verify(shop.webhookSecret, message)
    assert.equal(event, data.sequence === 1 ? 'transaction_created' : 'transaction_updated')
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)
    const { transactionId, sequence, ...rest } = data
    assert.deepEqual(rest, {
      ...{ status: 'pending', type: 'withdrew', externalReference: `order-${transactionId}` },
      ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
    })
    assert.equal(message.headers['content-type'], 'application/json')
  }
})

test('a changed byte, an old timestamp, another id and a wrong secret do not verify', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const stranger = await openWebhookShop(node, receiver.url)
  await addEvents(db, ids, shop.account, { transactions: 1 })
  const message = await waitFor(() => receiver.received[0])
  verify(shop.webhookSecret, message)
  const { body, headers } = message
  const old = String(Number(headers['webhook-timestamp']) - 301)
  const wrong = [
    { body: body.replace('1000', '9000'), headers },
    { body: `${body} `, headers },
    { body, headers: { ...headers, 'webhook-timestamp': old } },
    { body, headers: { ...headers, 'webhook-id': ids.next(0) } },
    { body, headers: { ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } },
  ]
  for (const each of wrong) assert.throws(() => verify(shop.webhookSecret, each))
  assert.throws(() => verify(stranger.webhookSecret, message))
  assert.throws(() => verify(shop.merchant.live.webhookSecret, message))
})

test('after a rotation both secrets verify for the overlap, and then the new one only', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const { status, body } = await shop.post('/users/webhooks/rotate-secret')
  assert.equal(status, 200)
  const { secret, previousExpiresAt } = body.data as Record<string, string>
  const leftMs = Date.parse(previousExpiresAt!) - Date.now()
  assert.ok(Math.abs(leftMs - 86_400_000) < 60_000)
  await addEvents(db, ids, shop.account, { transactions: 1 })
  const first = await waitFor(() => receiver.received[0])
  verify(secret!, first)
  verify(shop.webhookSecret, first)

  const again = (await shop.post('/users/webhooks/rotate-secret')).body.data as { secret: string }
  await addEvents(db, ids, shop.account, { transactions: 1 })
  const second = await waitFor(() => receiver.received[1])
  verify(secret!, second)
  verify(again.secret, second)
  assert.throws(() => verify(shop.webhookSecret, second), 'two are valid at most')

  await db`update webhook_secrets set expires_at = now() where expires_at > now()`
  await db`select pg_notify('malipo_changes', ${`account:${shop.account.id}`})`
  await waitFor(
    async () => {
      await addEvents(db, ids, shop.account, { transactions: 1 })
      return !receiver.received.at(-1)!.headers['webhook-signature']!.includes(' ')
    },
    { everyMs: 100 },
  )
  verify(again.secret, receiver.received.at(-1)!)
  assert.throws(() => verify(secret!, receiver.received.at(-1)!))
})

test('each attempt is signed anew with its own time, under the same id and with the same body', async (t) => {
  const receiver = await startReceiver(t, (_request, response, count) => {
    response.statusCode = count === 1 ? 500 : 204
    response.end()
  })
  const shop = await openWebhookShop(node, receiver.url)
  const [event] = await addEvents(db, ids, shop.account, { transactions: 1 })
  await waitFor(() => receiver.received.length === 1)
  await shop.post(`/webhooks/${event!.id}/resend`)
  await waitFor(() => receiver.received.length === 2)
  const [first, second] = receiver.received
  assert.deepEqual(receiver.ids(), [event!.id, event!.id])
  assert.equal(first!.body, second!.body)
  for (const message of receiver.received) verify(shop.webhookSecret, message)
})

test('events of a transaction arrive in their order, also when the first needs several attempts', async (t) => {
  const receiver = await startReceiver(t, (_request, response, count) => {
    response.statusCode = count === 1 ? 503 : 200
    response.end()
  })
  const shop = await openWebhookShop(node, receiver.url)
  const events = await addEvents(db, ids, shop.account, { transactions: 1, each: 3 })
  await waitFor(() => receiver.received.length === 1)
  await waitFor(async () => (await shop.record(events[0]!.id)).response.status === '503')
  // Its next attempt is made to be now, in place of waiting for it.
  await db`
    update webhooks set due_at = now() where account_id = ${shop.account.id} and sequence = 1`
  await waitFor(() => receiver.received.length === 4)
  assert.deepEqual(
    receiver.ids(),
    [0, 0, 1, 2].map((index) => events[index]!.id),
  )
})

test('an event does not overtake one before it that a dead worker still holds', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const at = new Date(Date.now() + 60_000)
  const events = await addEvents(db, ids, shop.account, { transactions: 1, each: 4, at })
  await db`
    update webhooks set due_at = now(),
      leased_until = case when sequence = 3 then now() + interval '1 second' end
    where account_id = ${shop.account.id}`
  await waitFor(() => receiver.received.length === 4)
  assert.deepEqual(
    receiver.ids(),
    events.map(({ id }) => id),
  )
})
