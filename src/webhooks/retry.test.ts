import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { waitFor } from '../../test/harness.ts'
import { deliverySettings, openWebhookShop, startReceiver } from '../../test/receivers.ts'
import { manualClock } from '../clock.ts'
import { readAttempts } from './records.ts'
import { pauseAfter, retryAfterMs } from './retry.ts'

const plan = (random: number) => ({ pausesMs: [5_000, 15_000], random: () => random })

test('pauses follow the schedule, are spread by a fifth, and end with it', () => {
  assert.equal(pauseAfter(plan(0), 1, undefined), 5_000)
  assert.equal(pauseAfter(plan(1), 1, undefined), 6_000)
  assert.equal(pauseAfter(plan(0.5), 2, undefined), 16_500)
  assert.equal(pauseAfter(plan(0), 3, undefined), undefined)
})

test('Retry-After lengthens a pause within bounds, and never shortens it', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(retryAfterMs('120', nowMs), 120_000)
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', nowMs), 60_000)
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', nowMs), 0)
  for (const odd of [undefined, '', 'soon', '-5', '1e9']) {
    assert.equal(retryAfterMs(odd, nowMs), undefined, String(odd))
  }
  assert.equal(pauseAfter(plan(0), 1, 60_000), 60_000)
  assert.equal(pauseAfter(plan(0), 1, 1_000), 5_000)
  assert.equal(pauseAfter(plan(0), 1, 10 ** 12), 86_400_000)
  assert.equal(pauseAfter(plan(0), 3, 60_000), undefined, 'no more attempts for asking')
})

test('an event is tried by its schedule and has failed when that is spent; what follows it goes on', async (t) => {
  const clock = manualClock(Date.now())
  const receiver = await startReceiver(t, (request, response, count) => {
    const { 'webhook-id': id } = request.headers
    response.statusCode = id === first ? 500 : 200
    if (count === 2) response.setHeader('retry-after', '100')
    response.end()
  })
  const settings = { ...deliverySettings, MALIPO_WEBHOOK_RETRIES: '5,15,45' }
  const node = await startLoneNode(t, { clock, settings })
  node.webhooks.startWork()
  const shop = await openWebhookShop(node, receiver.url)
  const at = new Date(clock.now())
  const events = await addEvents(node.db, node.ids, shop.account, { transactions: 1, each: 2, at })
  const first = events[0]!.id
  const dueIn = async () => {
    const [row] = await node.db<{ dueAt: Date | null }[]>`
      select due_at as "dueAt" from webhooks where id = ${first}`
    return row!.dueAt === null ? null : (row!.dueAt.getTime() - clock.now()) / 1000
  }
  for (const [made, pause] of [5, 100, 45].entries()) {
    await waitFor(async () => receiver.received.length === made + 1 && (await dueIn()) === pause)
    assert.equal((await shop.record(first)).status, 'CREATED')
    clock.advance((pause - 1) * 1000)
    node.webhooks.wake()
    await new Promise((resolve) => setTimeout(resolve, 250))
    assert.equal(receiver.received.length, made + 1, 'not before its time')
    clock.advance(1000)
    node.webhooks.wake()
  }
  await waitFor(async () => (await shop.record(first)).status === 'FAILED')
  assert.equal(await dueIn(), null)
  await waitFor(async () => (await shop.record(events[1]!.id)).status === 'SUCCESS')
  assert.deepEqual(receiver.ids(), [first, first, first, first, events[1]!.id])
  const attempts = await readAttempts(node.db, shop.account.slot, first)
  assert.equal(attempts.length, 4)
})
