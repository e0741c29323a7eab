import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { waitFor } from '../../test/harness.ts'
import {
  deliverySettings,
  openWebhookShop,
  type ShownWebhook,
  startReceiver,
  type WebhookShop,
} from '../../test/receivers.ts'
import { slotOf } from '../ids.ts'
import { guardedConnector } from './addresses.ts'
import { readAttempts } from './records.ts'

const settings = { ...deliverySettings, MALIPO_WEBHOOK_TIMEOUT_MS: '700' }
const node = await startLoneNode({ after }, { settings })
node.webhooks.startWork()
const { db, ids } = node

/** What the merchant reads after the first attempt. */
async function afterOneAttempt(shop: WebhookShop): Promise<ShownWebhook> {
  const [event] = await addEvents(db, ids, shop.account, { transactions: 1 })
  return await waitFor(async () => {
    const record = await shop.record(event!.id)
    return record.response.status === '' ? undefined : record
  })
}

const attemptsOf = (id: string) => readAttempts(db, slotOf(id)!, id)

test('a receiver that hangs is a failed attempt after the limit, and stays to be tried', async (t) => {
  const receiver = await startReceiver(t, () => {})
  const shop = await openWebhookShop(node, receiver.url)
  const record = await afterOneAttempt(shop)
  assert.deepEqual(record.response, {
    status: 'timeout',
    body: 'There was no answer within 0.7 seconds.',
  })
  assert.equal(record.status, 'CREATED')
  assert.equal(record.webhookUrl, receiver.url)
  const [attempt] = await attemptsOf(record.id)
  assert.ok(Number(attempt!.durationMs) >= 690 && Number(attempt!.durationMs) < 3000)
})

test('a 500 is kept with the start of its body, and nothing in it can break the record', async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.statusCode = 500
    response.end(`a\0b 𝒳${'é'.repeat(600)}`)
  })
  const record = await afterOneAttempt(await openWebhookShop(node, receiver.url))
  assert.equal(record.response.status, '500')
  assert.ok(record.response.body.startsWith('ab 𝒳éé'))
  assert.ok(record.response.body.length <= 500)
  assert.equal(record.status, 'CREATED')
})

test('an answer that breaks off does not count, whatever its status was', async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('only a part')
    setTimeout(() => response.socket?.destroy(), 50)
  })
  const record = await afterOneAttempt(await openWebhookShop(node, receiver.url))
  assert.deepEqual([record.status, record.response.status], ['CREATED', 'broken'])
})

test('of an answer of 10 MB only the start is read', async (t) => {
  let sentBytes = 0
  const receiver = await startReceiver(t, (_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const more = () => {
      while (sentBytes < 10_000_000 && !response.destroyed) {
        sentBytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const record = await afterOneAttempt(await openWebhookShop(node, receiver.url))
  assert.deepEqual([record.status, record.response.status], ['SUCCESS', '200'])
  assert.equal(record.response.body, 'x'.repeat(500))
  assert.ok(sentBytes < 9_000_000, `${sentBytes} bytes were taken`)
})

test('a redirect is not followed, not even to where the event could go', async (t) => {
  const inner = await startReceiver(t)
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(307, { location: inner.url })
    response.end()
  })
  const record = await afterOneAttempt(await openWebhookShop(node, receiver.url))
  assert.deepEqual([record.status, record.response.status], ['CREATED', '307'])
  assert.equal(inner.received.length, 0)
})

test('nobody listening, and what is no HTTP, are told in our own words', async (t) => {
  const nonsense = createTcpServer((socket) => void socket.end('hello\r\n')).listen(0, '127.0.0.1')
  await once(nonsense, 'listening')
  t.after(() => void nonsense.close())
  const { port } = nonsense.address() as { port: number }
  const odd = await afterOneAttempt(await openWebhookShop(node, `http://127.0.0.1:${port}/`))
  assert.equal(odd.response.status, 'broken')
  const nobody = await afterOneAttempt(await openWebhookShop(node, 'http://127.0.0.1:9/'))
  assert.deepEqual(nobody.response, { status: 'unreachable', body: 'No connection could be made.' })
  assert.ok(!/127\.|ECONN|:9/.test(JSON.stringify(nobody.response)))
})

test('receivers that hang do not delay others: a healthy one gets all of its events beside 20', async (t) => {
  const healthy = await openWebhookShop(node, (await startReceiver(t)).url)
  const slow = await Promise.all(Array.from({ length: 20 }, () => startReceiver(t, () => {})))
  for (const { url } of slow) {
    const { account } = await openWebhookShop(node, url)
    await addEvents(db, ids, account, { transactions: 100 })
  }
  await waitFor(() => slow.every(({ received }) => received.length > 0))
  const startMs = performance.now()
  const events = await addEvents(db, ids, healthy.account, { transactions: 300 })
  await waitFor(async () => (await healthy.record(events.at(-1)!.id)).status === 'SUCCESS')
  assert.ok(performance.now() - startMs < 3000)
})

test('a name that leads to a private address is refused when the connection is made', async (t) => {
  const inner = await startReceiver(t)
  const { port } = new URL(inner.url)
  const asked: string[] = []
  const live = await startLoneNode(t, {
    settings,
    connector: (rule) =>
      guardedConnector(rule, (hostname, _options, callback) => {
        asked.push(hostname)
        const address = hostname.startsWith('ten') ? '10.0.0.7' : '127.0.0.1'
        callback(null, [{ address, family: 4 }])
      }),
  })
  live.webhooks.startWork()
  const { merchant } = await openWebhookShop(live)
  const { account } = merchant.live
  for (const host of ['rebound.example', 'ten.example']) {
    const url = `https://${host}:${port}/hook`
    await live.db`update accounts set webhook_url = ${url} where id = ${account.id}`
    await live.db`select pg_notify('malipo_changes', ${`account:${account.id}`})`
    const [event] = await addEvents(live.db, live.ids, account, { transactions: 1 })
    const [attempt] = await waitFor(async () => {
      const rows = await readAttempts(live.db, account.slot, event!.id)
      return rows.length > 0 ? rows : undefined
    })
    assert.equal(attempt!.status, 'refused')
    assert.equal(attempt!.answer, 'The URL leads to an address that events are not sent to.')
  }
  assert.deepEqual(asked, ['rebound.example', 'ten.example'])
  assert.equal(inner.received.length, 0)
})
