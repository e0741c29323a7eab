import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant, silentLog } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { manualClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { listRequests } from './list-requests.ts'
import { redactedText } from './redact.ts'
import { createRequestLog, type LoggedRequest, sweepRequests } from './request-log.ts'

const { sql, drop } = await testDatabase()
after(drop)
const clock = manualClock(Date.parse('2026-03-10T12:00:00Z'))
const ids = createIds(clock)

async function openShop() {
  const { account } = (await makeMerchant(sql)).sandbox
  const { id: accountId, slot, environment } = account
  const entry = (more: Partial<LoggedRequest> = {}): LoggedRequest => ({
    ...{ slot, accountId, credentialId: ids.next(slot), atMs: clock.now(), method: 'GET' },
    ...{ path: '/api/b2b/users', status: 200, durationMs: 3, requestId: 'r', ip: '127.0.0.1' },
    ...{ request: null, answer: '{}' },
    ...more,
  })
  return { owner: { accountId, slot, environment }, entry }
}

const logOf = (keptDays = 7) => createRequestLog({ db: sql, clock, ids, log: silentLog, keptDays })

test('of many in one second few are wanted, failures have their own room and go first', async () => {
  const { owner, entry } = await openShop()
  const log = logOf()
  for (const status of [200, 500]) {
    for (let n = 0; n < 100; n++) {
      if (log.wants(owner.accountId, status >= 400)) log.add(entry({ status }))
    }
  }
  await log.close()
  const { rows } = await listRequests(sql, owner, { limit: 100 })
  assert.deepEqual(
    rows.map(({ status }) => status),
    Array(20).fill(500),
  )
  assert.ok(log.wants(owner.accountId, false), 'the next second is a new one')
})

test('an account that never stops is kept down for longer', async () => {
  const { owner, entry } = await openShop()
  const log = logOf()
  for (let second = 0; second < 120; second++) {
    for (let n = 0; n < 20; n++) {
      if (log.wants(owner.accountId, false)) log.add(entry())
    }
    clock.advance(1000)
    await log.close()
  }
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from request_log where account_id = ${owner.accountId}`
  assert.ok(row!.count >= 600 && row!.count <= 600 + 2 * 121, String(row!.count))
})

test('with no days to keep them nothing is wanted', () => {
  assert.equal(logOf(0).wants(ids.next(1), true), false)
})

test('pages are narrowed by status and path, and what is old is swept', async () => {
  const { owner, entry } = await openShop()
  const log = logOf()
  const paths = ['/api/b2b/users', '/api/b2b/webhooks', '/api/b2b/users?x=1']
  for (const path of paths) log.add(entry({ path, status: path === paths[1] ? 404 : 200 }))
  await log.close()
  const pathsOf = async (filter: object) =>
    (await listRequests(sql, owner, { limit: 10, ...filter })).rows.map(({ path }) => path)
  assert.deepEqual(await pathsOf({}), [...paths].reverse())
  assert.deepEqual(await pathsOf({ statusClass: 4 }), [paths[1]])
  assert.deepEqual(await pathsOf({ path: 'users' }), [paths[2], paths[0]])
  const first = await listRequests(sql, owner, { limit: 2 })
  assert.equal(first.rows.length, 2)
  assert.deepEqual(await pathsOf({ after: first.next }), [paths[0]])
  await sweepRequests(sql, new Date(clock.now() - 1000))
  assert.equal((await pathsOf({})).length, 3)
  await sweepRequests(sql, new Date(clock.now() + 1000))
  assert.deepEqual(await pathsOf({}), [])
})

test('secrets are taken out by their name and by their look, and the rest stays', () => {
  const card = '4111 1111-1111 1111'
  const text = redactedText(
    {
      ...{ amount: 1000, phoneNumber: '+254700000000', reference: '1234567890123' },
      cardDetails: { number: card, cvv: '123' },
      ...{ 'api-key': 'x', API_KEY: 'y', webhookSecret: 'z', otpCode: '1234' },
      deep: [{ token: 'abc', note: `paid by ${card}, key sk_live_abcdef, Bearer abc.def` }],
      pan: 4111111111111111,
    },
    4096,
  )!
  assert.ok(
    !/4111|123"|"x"|"y"|"z"|1234"|abc|sk_live/.test(text.replace('1234567890123', '')),
    text,
  )
  for (const kept of ['1000', '+254700000000', '1234567890123']) assert.ok(text.includes(kept))
  assert.equal(redactedText('a'.repeat(9000), 4096)!.length, 4096)
  assert.equal(redactedText(undefined, 10), null)
})
