import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keysOf, makeKeys, startLoneNode, tokenFor } from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { waitFor } from '../../test/harness.ts'
import {
  deliverySettings,
  openWebhookShop,
  type ShownWebhook,
  startReceiver,
  type WebhookShop,
} from '../../test/receivers.ts'
import { addTransaction } from '../../test/transactions.ts'
import { manualClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { readAttempts } from '../webhooks/records.ts'

const node = await startLoneNode({ after }, { settings: deliverySettings })
node.webhooks.startWork()
const { db, ids } = node

async function list(shop: WebhookShop, query = ''): Promise<ShownWebhook[]> {
  const { status, body, text } = await shop.get(`/webhooks${query}`)
  assert.equal(status, 200, text)
  return body.data as ShownWebhook[]
}

async function idsOf(shop: WebhookShop, query = ''): Promise<string[]> {
  return (await list(shop, query)).map(({ id }) => id)
}

test('a record has the fields of the specification, in the list and read by either path', async (t) => {
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node, receiver.url)
  const [event] = await addEvents(db, ids, shop.account, { transactions: 1 })
  await waitFor(async () => (await shop.record(event!.id)).status === 'SUCCESS')
  const [listed] = await list(shop)
  const { createdAt, data, ...rest } = listed!
  assert.deepEqual(rest, {
    id: event!.id,
    event: 'transaction_created',
    response: { status: '200', body: 'ok' },
    webhookUrl: receiver.url,
    status: 'SUCCESS',
  })
  assert.equal(new Date(createdAt).toISOString(), createdAt)
  assert.deepEqual(data, JSON.parse(receiver.received[0]!.body).data)
  for (const path of ['webhook', 'webhooks']) {
    const { body } = await shop.get(`/${path}/${event!.id}`)
    assert.deepEqual(body, { success: true, data: listed })
  }
})

test('what there is not is a 404, whatever the id looks like', async () => {
  const shop = await openWebhookShop(node)
  for (const id of [ids.next(shop.account.slot), ids.next(0), 'nonsense', '%00']) {
    for (const answer of [
      await shop.get(`/webhook/${id}`),
      await shop.get(`/webhooks/${id}`),
      await shop.post(`/webhooks/${id}/resend`),
    ]) {
      assert.deepEqual([answer.status, answer.body.errorCode], [404, 'WEBHOOK_NOT_FOUND'], id)
    }
  }
})

test('the list is newest first, in pages that follow each other without gap or repeat', async () => {
  const shop = await openWebhookShop(node)
  const events = await addEvents(db, ids, shop.account, { transactions: 230 })
  const newestFirst = events.map(({ id }) => id).reverse()
  assert.deepEqual(await idsOf(shop), newestFirst.slice(0, 50))
  assert.deepEqual(await idsOf(shop, '?limit=200'), newestFirst.slice(0, 200))
  const paged: string[] = []
  for (let after = ''; ; after = `&after=${paged.at(-1)}`) {
    const page = await idsOf(shop, `?limit=100${after}`)
    paged.push(...page)
    if (page.length < 100) break
  }
  assert.deepEqual(paged, newestFirst)
})

test('limits, dates, a status and a cursor that are wrong are refused by name', async () => {
  const shop = await openWebhookShop(node)
  const wrong: [string, RegExp][] = [
    ['limit=0', /limit must be at least 1/],
    ['limit=201', /limit must be at most 200/],
    ['limit=ten', /limit must be a whole number/],
    ['status=success', /status must be one of CREATED, FAILED, SUCCESS/],
    ['status=SENT', /status must be one of/],
    ['startDate=2026-02-30', /startDate must be a date/],
    ['endDate=yesterday', /endDate must be a date/],
    ['startDate=2026-02-02&endDate=2026-02-01', /startDate must not be after endDate/],
    ['after=nonsense', /after must be the id of a webhook/],
    [`after=${ids.next(shop.account.slot)}`, /after must be the id of a webhook/],
  ]
  for (const [query, message] of wrong) {
    const { status, body } = await shop.get(`/webhooks?${query}`)
    assert.deepEqual([status, body.errorCode], [400, 'VALIDATION_ERROR'], query)
    assert.match(String(body.message), message)
  }
})

test('status, days and references filter, alone and together', async () => {
  const shop = await openWebhookShop(node)
  const { account } = shop
  await db`update accounts set time_zone = 'Africa/Nairobi' where id = ${account.id}`
  const at = (iso: string) => createIds(manualClock(Date.parse(iso)))
  const one = async (iso: string, status: string, transactionId?: string) => {
    const [event] = await addEvents(db, at(iso), account, { transactions: 1, at: new Date(iso) })
    await db`update webhooks set status = ${status}, due_at = null,
      transaction_id = ${transactionId ?? event!.transactionId} where id = ${event!.id}`
    return event!.id
  }
  const fields = { external_reference: 'order-1' }
  const transactionId = await addTransaction(db, ids, account, fields)
  // In Nairobi the second of May begins at nine in the evening UTC.
  const first = await one('2026-05-01T20:59:59.999Z', 'FAILED', transactionId)
  const second = await one('2026-05-01T21:00:00.000Z', 'SUCCESS')
  const third = await one('2026-05-02T20:59:59.999Z', 'CREATED')
  const fourth = await one('2026-05-02T21:00:00.000Z', 'FAILED')
  const cases: [string, string[]][] = [
    ['', [fourth, third, second, first]],
    ['?status=FAILED', [fourth, first]],
    ['?status=SUCCESS', [second]],
    ['?status=CREATED', [third]],
    ['?startDate=2026-05-02', [fourth, third, second]],
    ['?endDate=2026-05-02', [third, second, first]],
    ['?startDate=2026-05-02&endDate=2026-05-02', [third, second]],
    ['?startDate=2026-05-02&status=FAILED', [fourth]],
    [`?status=FAILED&after=${fourth}`, [first]],
    ['?reference=order-1', [first]],
    [`?reference=${transactionId}`, [first]],
    [`?transactionId=${transactionId}`, [first]],
    ['?externalReference=order-1', [first]],
    [`?transactionId=${transactionId}&externalReference=order-1&status=FAILED`, [first]],
    ['?reference=order-1&status=SUCCESS', []],
    ['?reference=order-1&startDate=2026-05-02', []],
    ['?reference=unknown', []],
    ['?externalReference=%00', []],
    [`?externalReference=${transactionId}`, []],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await idsOf(shop, query), expected, query)
})

test('a list by status or by reference reads by an index, however many records there are', async () => {
  const shop = await openWebhookShop(node)
  await addEvents(db, ids, shop.account, { transactions: 3000 })
  await db`analyze webhooks`
  const plan = async (where: string) => {
    const rows = await db.unsafe(`explain select id from webhooks w where ${where}`)
    return JSON.stringify(rows)
  }
  const own = `w.slot = ${shop.account.slot} and w.account_id = '${shop.account.id}'`
  const failed = await plan(`${own} and w.status = 'FAILED' order by w.id desc limit 200`)
  assert.match(failed, /webhooks_by_status/)
  const { slot } = shop.account
  const byTransaction = `w.slot = ${slot} and w.transaction_id = '${ids.next(slot)}'`
  assert.match(await plan(byTransaction), /webhooks_slot_transaction_id_sequence_key/)
})

test('a resend works at any time, also after success, on the same record and at once', async (t) => {
  let status = 500
  const receiver = await startReceiver(t, (_request, response) => {
    response.statusCode = status
    response.end()
  })
  const shop = await openWebhookShop(node, receiver.url)
  const [event] = await addEvents(db, ids, shop.account, { transactions: 1 })
  const { id } = event!
  await waitFor(async () => (await shop.record(id)).response.status === '500')
  status = 200
  for (const sent of [2, 3]) {
    const answer = await shop.post(`/webhooks/${id}/resend`)
    assert.deepEqual(answer.body, { success: true, message: 'Webhook resent successfully.' })
    await waitFor(() => receiver.received.length === sent, { timeoutMs: 2000 })
    await waitFor(async () => (await shop.record(id)).status === 'SUCCESS')
  }
  assert.deepEqual(new Set(receiver.ids()), new Set([id]))
  await db`update webhooks set status = 'FAILED' where id = ${id}`
  await shop.post(`/webhooks/${id}/resend`)
  await waitFor(async () => (await shop.record(id)).status === 'SUCCESS')
  const attempts = await readAttempts(db, shop.account.slot, id)
  assert.deepEqual(attempts.map((row) => row.status).sort(), ['200', '200', '200', '500'])
})

test('a resend without a URL is refused and changes nothing', async () => {
  const shop = await openWebhookShop(node)
  const [event] = await addEvents(db, ids, shop.account, { transactions: 1 })
  const { status, body } = await shop.post(`/webhooks/${event!.id}/resend`)
  assert.deepEqual([status, body.errorCode], [409, 'WEBHOOK_URL_NOT_SET'])
  const record = await shop.record(event!.id)
  assert.deepEqual([record.status, record.response.status], ['CREATED', ''])
})

test('reading needs the scope read; resending and rotating need webhooks', async () => {
  const shop = await openWebhookShop(node)
  const tokens = await Promise.all(
    (['read', 'payouts'] as const).map(async (scope) =>
      tokenFor(node, await makeKeys(db, shop, { scopes: [scope] })),
    ),
  )
  const ask = async (method: 'GET' | 'POST', path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await node.send({ method, url: `/api/b2b${path}`, headers })).status
  }
  assert.equal(await ask('GET', '/webhooks', tokens[0]!), 200)
  assert.equal(await ask('GET', '/webhooks', tokens[1]!), 403)
  assert.equal(await ask('POST', `/webhooks/${ids.next(1)}/resend`, tokens[0]!), 403)
  assert.equal(await ask('POST', '/users/webhooks/rotate-secret', tokens[0]!), 403)
  assert.ok(keysOf(shop).apiKey)
})
