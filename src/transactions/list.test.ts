import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeMerchant } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { manualClock, systemClock } from '../clock.ts'
import type { ReservedSql } from '../db/pool.ts'
import type { Query } from '../db/query.ts'
import { createIds } from '../ids.ts'
import { openWallet } from '../ledger/wallets.ts'
import { currencies } from '../money/currencies.ts'
import { kindsOf, someOf } from './list.ts'
import { byIds, byReferences, maxPage, newestOf } from './reads.ts'
import { transactionStatuses } from './record.ts'
import { allBelow, referencesBelow, someBelow } from './search.ts'

const rows = 200_000
const rowsAtOnce = 20_000
const firstMs = 1_700_000_000_000
/** From the root of an index to a leaf, and the neighbours and rows of a page. */
const blocksOfDescent = 8
const everything = {
  from: '00000000-0000-0000-0000-000000000000',
  to: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/** In the middle of the rows. */
const half = createIds(manualClock(firstMs + rows / 2)).next(0)

const { sql, drop } = await testDatabase()
const ids = createIds(systemClock)
const { sandbox } = await makeMerchant(sql)
const { id: accountId, slot, environment } = sandbox.account
const owner = { accountId, slot, environment }
let session: ReservedSql

after(async () => {
  session?.release()
  await drop()
})

/**
 * The hardest case for a planner: almost all rows are alike, so that its statistics say a filter
 * keeps everything, and the few others are the oldest.
 */
before(async () => {
  const wallet = await openWallet(sql, ids, owner, { currency: 'KES', country: 'KE' })
  for (let first = 1; first <= rows; first += rowsAtOnce) {
    await sql`
      insert into transactions (slot, id, account_id, environment, kind, state, status,
        external_reference, method, destination, country, currency, amount, wallet_id,
        wallet_currency, wallet_amount, created_at, updated_at)
      select ${slot}, (lpad(to_hex(${firstMs}::bigint + n), 12, '0') || '70008000'
          || lpad(to_hex(n), 8, '0') || lpad(to_hex(${slot}::int), 4, '0'))::uuid,
        ${accountId}, ${environment}, 'payout', 'successful',
        case when n <= 3 then 'failed' else 'successful' end,
        'load-' || n, 'momo', 'MoMo', 'KE', case when n <= 6 then 'UGX' else 'KES' end, 100,
        ${wallet.id}, 'KES', 100, now(), now()
      from generate_series(${first}::bigint, ${first + rowsAtOnce - 1}::bigint) n`
  }
  await sql`vacuum (analyze) transactions`
  session = await sql.reserve()
})

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** As the server keeps it prepared: planned for these values, or once for all. */
async function planOf(query: Query<readonly object[]>, mode: 'custom' | 'generic'): Promise<Plan> {
  const { text, values } = query.statement()
  await session.unsafe(`set plan_cache_mode = force_${mode}_plan`)
  await session.unsafe(`prepare page as ${text}`)
  const literals = values.map((value) => `'${Array.isArray(value) ? `{${value}}` : value}'`)
  const [row] = await session.unsafe(
    `explain (analyze, buffers, format json) execute page (${literals.join(', ')})`,
  )
  await session.unsafe('deallocate page')
  return (row!['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan
}

function assertCheap(plan: Plan, combinations: number, about: string, page = maxPage): void {
  const nodes = nodesOf(plan)
  for (const node of nodes) {
    const type = node['Node Type']
    assert.doesNotMatch(type, /Seq Scan|Bitmap|Hash/, about)
    assert.ok(node['Actual Rows'] * node['Actual Loops'] <= page * combinations, about)
    assert.equal(node['Rows Removed by Filter'] ?? 0, 0, about)
  }
  const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  const most = (combinations + page) * blocksOfDescent
  assert.ok(blocks <= most, `${about}: ${blocks} blocks, expected at most ${most}`)
}

for (const mode of ['custom', 'generic'] as const) {
  test(`a page without filters reads a page, wherever it lies (${mode} plan)`, async () => {
    for (const to of [everything.to, half]) {
      const plan = await planOf(newestOf(session, [{ owner, range: { ...everything, to } }]), mode)
      assertCheap(plan, 1, `up to ${to}`)
      const scans = nodesOf(plan).flatMap((node) => node['Index Name'] ?? [])
      assert.deepEqual(scans, ['transactions_by_account'])
    }
  })

  test(`one transaction is found by a look at an index (${mode} plan)`, async () => {
    const [{ id }] = (await sql`select id from transactions limit 1`) as [{ id: string }]
    const twice = (key: string) => [key, key].map((each) => ({ owner, key: each }))
    assertCheap(await planOf(byIds(session, twice(id)), mode), 2, 'by id', 1)
    assertCheap(await planOf(byReferences(session, twice('load-7')), mode), 2, 'by reference', 1)
  })

  test(`a page with filters reads a page per combination (${mode} plan)`, async () => {
    const choices = [undefined, 'KES', 'UGX', 'ZMW'].flatMap((currency) =>
      [undefined, 'withdrew' as const, 'deposit' as const].flatMap((type) =>
        [undefined, ...transactionStatuses].map((status) => ({ currency, type, status })),
      ),
    )
    for (const choice of choices) {
      const combinations =
        (choice.currency ? 1 : currencies.length) *
        (choice.type ? kindsOf[choice.type].length : 3) *
        (choice.status ? 1 : transactionStatuses.length)
      for (const to of [everything.to, half]) {
        const plan = await planOf(someOf(session, owner, { ...everything, to }, choice), mode)
        assertCheap(plan, combinations, JSON.stringify({ ...choice, to }))
      }
    }
  })
}

for (const mode of ['custom', 'generic'] as const) {
  test(`a search reads a page, whatever it looks for (${mode} plan)`, async () => {
    const size = 101
    const filter = { range: everything, limit: size - 1 }
    for (const to of [everything.to, half]) {
      const range = { ...everything, to }
      assertCheap(await planOf(allBelow(session, owner, range, filter, size), mode), 1, to, size)
      const some = { ...filter, status: 'failed' } as const
      const combinations = currencies.length * 3
      const plan = await planOf(someBelow(session, owner, range, some, size), mode)
      assertCheap(plan, combinations, `failed up to ${to}`, size)
    }
    for (const text of ['load-19', 'load-', 'none']) {
      const found = referencesBelow(session, owner, text, `${text}\u{10ffff}`, size)
      assertCheap(await planOf(found, mode), 1, text, size)
    }
  })
}

test('a filter finds the few that are buried below all others', async () => {
  const failed = await someOf(sql, owner, everything, { status: 'failed' })
  assert.deepEqual(
    failed.map(({ externalReference }) => externalReference),
    ['load-3', 'load-2', 'load-1'],
  )
  const ugandan = await someOf(sql, owner, everything, { currency: 'UGX', type: 'withdrew' })
  assert.deepEqual(
    ugandan.map(({ externalReference }) => externalReference),
    ['load-6', 'load-5', 'load-4', 'load-3', 'load-2', 'load-1'],
  )
})
