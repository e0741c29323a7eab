import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { addEvents } from '../../test/events.ts'
import { testDatabase, waitFor } from '../../test/harness.ts'
import { startOn } from '../../test/processes.ts'
import { startReceiver, verify } from '../../test/receivers.ts'
import { systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { createMerchant } from '../merchants/create-merchant.ts'
import { createSeal } from '../seal.ts'

const transactions = 2_500
const each = 4
const killAt = 3_000

test('a worker killed while it delivers 10,000 events loses none, and keeps their order', async (t) => {
  const { url, sql } = await testDatabase(t)
  const key = randomBytes(32)
  const ids = createIds(systemClock)
  const { sandbox } = await createMerchant(sql, ids, createSeal([key]), 'test', {
    ...{ name: 'Duka', firstName: 'Asha', lastName: 'Otieno', email: 'asha@duka.example' },
  })
  const receiver = await startReceiver(t)
  const { account, webhookSecret } = sandbox
  await sql`update accounts set webhook_url = ${receiver.url} where id = ${account.id}`
  const events = await addEvents(sql, ids, account, { transactions, each })
  const start = () =>
    startOn(t, url, {
      args: ['--role', 'worker'],
      env: {
        MALIPO_MASTER_KEY: key.toString('base64'),
        MALIPO_LOOPBACK_WEBHOOKS: 'on',
        MALIPO_WEBHOOK_TIMEOUT_MS: '1000',
        MALIPO_DATABASE_CONNECTIONS: '5',
      },
    })

  const first = start()
  await waitFor(() => receiver.received.length >= killAt, { timeoutMs: 60_000 })
  first.child.kill('SIGKILL')
  await first.ended()
  assert.ok(receiver.received.length < events.length, 'it was killed in the middle')
  start()
  const known = () => new Set(receiver.ids()).size
  await waitFor(() => known() >= events.length, { timeoutMs: 60_000, everyMs: 100 })
  const left = async () => {
    const [row] = await sql<{ open: number }[]>`
      select count(*)::int as open from webhooks where status <> 'SUCCESS' or due_at is not null`
    return row!.open
  }
  await waitFor(async () => (await left()) === 0, { timeoutMs: 20_000, everyMs: 100 })

  assert.deepEqual(new Set(receiver.ids()), new Set(events.map(({ id }) => id)))
  const last = new Map<string, number>()
  for (const message of receiver.received) {
    const { transactionId, sequence } = verify(webhookSecret, message).data
    const before = last.get(transactionId) ?? 0
    assert.ok(sequence === before || sequence === before + 1, `${sequence} came after ${before}`)
    last.set(transactionId, sequence)
  }
  t.diagnostic(`${receiver.received.length - events.length} arrived twice`)
  const [attempts] = await sql<{ count: number; ok: number }[]>`
    select count(distinct id)::int as count, count(*) filter (where status = '200')::int as ok
    from (
      select id, response_status as status from webhooks where attempt_id is not null
      union all select webhook_id, status from webhook_attempts
    ) attempts`
  assert.ok(attempts!.count === events.length && attempts!.ok >= events.length)
})
