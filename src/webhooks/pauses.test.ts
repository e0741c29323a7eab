import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getUser, keysOf, startLoneNode, tokenFor } from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { waitFor } from '../../test/harness.ts'
import { deliverySettings, openWebhookShop, startReceiver } from '../../test/receivers.ts'
import { manualClock } from '../clock.ts'
import { createLogTo } from '../log.ts'
import { readDeliveryState, resumeDelivery } from './pauses.ts'
import { sweepWebhooks } from './sweep.ts'

const hourMs = 3_600_000

test('without a URL records wait without an attempt, and are sent when one is set, if young enough', async (t) => {
  const node = await startLoneNode(t, { settings: deliverySettings })
  node.webhooks.startWork()
  const { db, ids } = node
  const receiver = await startReceiver(t)
  const shop = await openWebhookShop(node)
  const { account } = shop
  const at = new Date(Date.now() - 25 * hourMs)
  const [old] = await addEvents(db, ids, account, { transactions: 1, at })
  const events = await addEvents(db, ids, account, { transactions: 2, each: 2 })
  const aside = async () => (await readDeliveryState(db, account)).setAside
  await waitFor(async () => (await aside()) === 5)
  const record = await shop.record(events[0]!.id)
  assert.deepEqual([record.status, record.response.status, record.webhookUrl], ['CREATED', '', ''])
  await shop.setUrl(receiver.url)
  await waitFor(() => receiver.received.length === 4)
  assert.deepEqual(new Set(receiver.ids()), new Set(events.map(({ id }) => id)))
  const { status, response } = await shop.record(old!.id)
  assert.deepEqual([status, response.status], ['CREATED', ''])
})

test('a receiver that nothing reaches for days is paused, and a resume sends what was missed', async (t) => {
  const lines: string[] = []
  const log = createLogTo({ write: (line) => void lines.push(line) }, 'warn')
  const clock = manualClock(Date.now())
  const settings = { ...deliverySettings, MALIPO_WEBHOOK_RETRIES: '86400,86400,86400,86400' }
  const node = await startLoneNode(t, { clock, log, settings })
  node.webhooks.startWork()
  const { db, ids } = node
  let isDown = true
  const receiver = await startReceiver(t, (_request, response) => {
    response.statusCode = isDown ? 500 : 200
    response.end()
  })
  const shop = await openWebhookShop(node, receiver.url)
  const { account } = shop
  const [event] = await addEvents(db, ids, account, { transactions: 1, at: new Date(clock.now()) })
  const state = () => readDeliveryState(db, account)
  const noted = (attempts: number) =>
    waitFor(async () => {
      const [row] = await db`select attempts from webhooks where id = ${event!.id}`
      return row!.attempts === attempts
    })
  await noted(1)
  await waitFor(async () => (await state()).failingSince)
  for (const day of [1, 2, 3]) {
    assert.equal((await state()).pausedAt, null)
    clock.advance(24 * hourMs)
    node.webhooks.wake()
    await waitFor(() => receiver.received.length === day + 1)
    await noted(day + 1)
  }
  await waitFor(async () => (await state()).pausedAt)
  await waitFor(() => lines.some((line) => line.includes('a webhook endpoint is paused')))
  const { body } = await node.send(getUser(await tokenFor(node, keysOf(shop))))
  assert.equal(body.webhooksPausedAt, (await state()).pausedAt!.toISOString())

  const at = new Date(clock.now())
  const more = await addEvents(db, ids, account, { transactions: 3, at })
  await waitFor(async () => (await state()).setAside === 3)
  assert.equal(receiver.received.length, 4)
  isDown = false
  assert.equal(await resumeDelivery(db, account), 3)
  await waitFor(() => receiver.received.length === 7)
  assert.deepEqual(new Set(receiver.ids().slice(4)), new Set(more.map(({ id }) => id)))
  await waitFor(async () => (await state()).failingSince === null)
  const since = new Date(clock.now() - 5 * 24 * hourMs)
  await db`update webhooks set status = 'FAILED', due_at = null where id = ${event!.id}`
  assert.equal(await resumeDelivery(db, account, since), 1)
  await waitFor(() => receiver.received.length === 8)
})

test('a receiver that fails now and then is not paused', async (t) => {
  const clock = manualClock(Date.now())
  const node = await startLoneNode(t, { clock, settings: deliverySettings })
  node.webhooks.startWork()
  const { db, ids } = node
  const receiver = await startReceiver(t, (_request, response, count) => {
    response.statusCode = count % 2 === 1 ? 500 : 200
    response.end()
  })
  const { account } = await openWebhookShop(node, receiver.url)
  for (let day = 0; day < 5; day++) {
    await addEvents(db, ids, account, { transactions: 1, at: new Date(clock.now()) })
    node.webhooks.wake()
    await waitFor(() => receiver.received.length === 2 * day + 1)
    await waitFor(async () => (await readDeliveryState(db, account)).failingSince)
    clock.advance(24 * hourMs)
    node.webhooks.wake()
    await waitFor(() => receiver.received.length === 2 * day + 2)
    await waitFor(async () => (await readDeliveryState(db, account)).failingSince === null)
    clock.advance(hourMs)
  }
  assert.equal((await readDeliveryState(db, account)).pausedAt, null)
})

test('records older than they are kept go with their attempts, the others stay', async (t) => {
  const node = await startLoneNode(t)
  const { db, ids } = node
  const shop = await openWebhookShop(node)
  const old = new Date(Date.now() - 91 * 24 * hourMs)
  const gone = await addEvents(db, ids, shop.account, { transactions: 3, at: old })
  const [kept] = await addEvents(db, ids, shop.account, { transactions: 1 })
  for (const { id } of [...gone, kept!]) {
    await db`
      insert into webhook_attempts (slot, webhook_id, id, at, duration_ms, status, answer)
      values (${shop.account.slot}, ${id}, ${id}, now(), 1, '200', '')`
  }
  assert.equal(await sweepWebhooks(db, new Date(Date.now() - 90 * 24 * hourMs)), 3)
  const left = await db`
    select w.id, a.webhook_id as attempt from webhooks w full join webhook_attempts a
      on a.webhook_id = w.id`
  assert.deepEqual([...left], [{ id: kept!.id, attempt: kept!.id }])
})
