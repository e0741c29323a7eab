import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { addTransaction, type TransactionFields } from '../../test/transactions.ts'
import { manualClock, systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { hourMs, readActivity, sweepActivity } from './activity.ts'
import { countStuck, readOverview } from './overview.ts'

const { sql, drop } = await testDatabase()
after(drop)

const noonMs = Date.parse('2026-03-10T12:00:00Z')

async function openShop(timeZone = 'UTC') {
  const { account } = (await makeMerchant(sql)).sandbox
  const { id: accountId, slot, environment } = account
  return {
    owner: { accountId, slot, environment, timeZone },
    add: (iso: string, fields: Partial<TransactionFields> = {}) =>
      addTransaction(sql, createIds(systemClock), account, {
        id: createIds(manualClock(Date.parse(iso))).next(slot),
        ...fields,
      }),
    kept: async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from activity_hours where account_id = ${accountId}`
      return row!.count
    },
  }
}

const starts = (count: number) =>
  Array.from({ length: count }, (_, n) => noonMs - (count - 1 - n) * hourMs)

test('what is kept says the same as what is summed, and a pending one that ends shows', async () => {
  const shop = await openShop()
  await shop.add('2026-03-10T08:30:00Z', { amount: 500n })
  const open = await shop.add('2026-03-10T09:15:00Z', { status: 'pending', amount: 700n })
  await shop.add('2026-03-10T09:20:00Z', { status: 'failed' })
  await shop.add('2026-03-10T12:10:00Z', { amount: 900n, kind: 'charge' })
  const nowMs = noonMs + hourMs / 2
  const look = () => readActivity(sql, shop.owner, starts(6), nowMs)
  const first = await look()
  // 08, 09, 10 and 11 o'clock are over; before there was nothing, and noon goes on.
  assert.equal(await shop.kept(), 4)
  assert.deepEqual(await look(), first)
  assert.deepEqual(
    first.map(({ groups }) => groups.map((one) => [one.kind, one.pending, one.amount])),
    [[], [['payout', 0, '500']], [['payout', 1, '0']], [], [], [['charge', 0, '900']]],
  )
  await sql`update transactions set status = 'successful' where id = ${open}`
  const later = await look()
  assert.deepEqual(later[2]!.groups[0], {
    ...first[2]!.groups[0]!,
    pending: 0,
    successful: 1,
    amount: '700',
  })
  assert.deepEqual(await look(), later)
})

test('an hour that has just ended is not kept: a commit may still come', async () => {
  const shop = await openShop()
  await shop.add('2026-03-10T11:59:00Z')
  await readActivity(sql, shop.owner, starts(2), noonMs + 60_000)
  assert.equal(await shop.kept(), 0)
  await readActivity(sql, shop.owner, starts(2), noonMs + 600_000)
  assert.equal(await shop.kept(), 1)
  await sweepActivity(sql, noonMs + 101 * 24 * hourMs)
  assert.equal(await shop.kept(), 0)
})

test('a day is the day of the account, also where clocks have half hours or are set', async () => {
  for (const [timeZone, day] of [
    ['Africa/Nairobi', '2026-03-09'],
    ['Asia/Kolkata', '2026-03-09'],
    ['UTC', '2026-03-08'],
    ['America/New_York', '2026-03-08'],
  ] as const) {
    const shop = await openShop(timeZone)
    await shop.add('2026-03-08T21:10:00Z', { amount: 100n })
    const { flow } = await readOverview(sql, shop.owner, { days: 7 }, noonMs)
    assert.equal(flow.days.length, 7)
    const moved = flow.days.filter(({ out }) => out !== '0.00')
    assert.deepEqual(moved, [{ day, in: '0.00', out: '1.00' }], timeZone)
  }
})

test('the busiest currency is shown unless another is asked for', async () => {
  const shop = await openShop()
  await shop.add('2026-03-10T08:00:00Z', { currency: 'UGX', amount: 5n, kind: 'charge' })
  await shop.add('2026-03-10T08:00:01Z', { currency: 'KES' })
  await shop.add('2026-03-10T08:00:02Z', { currency: 'KES' })
  const busiest = await readOverview(sql, shop.owner, { days: 7 }, noonMs)
  assert.deepEqual([busiest.flow.currency, busiest.flow.currencies], ['KES', ['KES', 'UGX']])
  const other = await readOverview(sql, shop.owner, { days: 7, currency: 'UGX' }, noonMs)
  assert.deepEqual(other.flow.days.at(-1), { day: '2026-03-10', in: '5', out: '0' })
  const nobody = await openShop()
  const empty = await readOverview(sql, nobody.owner, { days: 7 }, noonMs)
  assert.deepEqual([empty.flow.currency, empty.success], [null, []])
})

test('stuck is a payout that is open for an hour, or a charge beyond its deadline', async () => {
  const shop = await openShop()
  await shop.add('2026-03-10T11:30:00Z', { status: 'pending' })
  assert.equal(await countStuck(sql, shop.owner, noonMs), 0)
  await shop.add('2026-03-10T10:30:00Z', { status: 'pending' })
  await shop.add('2026-03-10T10:31:00Z')
  assert.equal(await countStuck(sql, shop.owner, noonMs), 1)
  const charge = await shop.add('2026-03-10T11:40:00Z', { status: 'pending', kind: 'charge' })
  const deadline = (iso: string) =>
    sql`update transactions set deadline_at = ${new Date(iso)} where id = ${charge}`
  await deadline('2026-03-10T12:30:00Z')
  assert.equal(await countStuck(sql, shop.owner, noonMs), 1)
  await deadline('2026-03-10T11:45:00Z')
  assert.equal(await countStuck(sql, shop.owner, noonMs), 2)
})
