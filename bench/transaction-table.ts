/**
 * How the table of transactions feels with a million of them behind it, in a real browser:
 * `node bench/transaction-table.ts`. It takes a few minutes, most of them for the million.
 */
import type { Page } from 'playwright-core'
import { payByPhone } from '../test/dashboard-e2e/seed.ts'
import { type DashboardWorld, startDashboard } from '../test/dashboard-e2e/world.ts'

/** The same is measured with both: what the machine is busy with otherwise slows both alike. */
const sizes = [200, 1_000_000]
const rounds = 4
const yearMs = 365 * 86_400_000
const scrollSteps = 40
const liveSeconds = 3
const limitMs = 60_000

/** Payments of one account over a year, all kinds and outcomes, the last of them just now. */
async function addPayments({ db }: DashboardWorld, count: number): Promise<void> {
  const stepMs = Math.floor(yearMs / count)
  await db.begin(async (tx) => {
    await tx.unsafe('set local session_replication_role = replica')
    await tx.unsafe('set local statement_timeout = 0')
    await tx.unsafe(`
      insert into transactions
      select r.*
      from (select t from transactions t where status = 'successful' limit 1) example
      cross join generate_series(1, ${count}) n
      cross join lateral (
        select (extract(epoch from now()) * 1000)::bigint
            - (${count} - n) * ${stepMs}::bigint as ms,
          case when n % 40 = 7 then 'failed' else 'successful' end as outcome) made
      cross join lateral jsonb_populate_record(example.t, jsonb_build_object(
        'id', lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8000'
          || lpad(to_hex(n), 8, '0') || right((example.t).id::text, 4),
        'external_reference', 'year-${count}-' || n, 'idempotency_key', null, 'request_hash', null,
        'kind', (array['payout', 'charge'])[1 + n % 2],
        'status', outcome, 'state', outcome,
        'method', (array['momo', 'card', 'momo', 'bank', 'momo', 'card', 'momo'])[1 + n % 7],
        'amount', 1000 + n % 90000, 'created_at', to_timestamp(ms / 1000.0),
        'updated_at', to_timestamp(ms / 1000.0))) r`)
  })
  await db.unsafe('vacuum analyze transactions')
}

type Reading = { name: string; ms: number }

const firstRow = (page: Page) => page.locator('tbody tr').first().innerText()

/** From the action until the first row is another one. */
async function timed(page: Page, action: () => Promise<unknown>): Promise<number> {
  const before = (await page.locator('tbody tr').count()) > 0 ? await firstRow(page) : ''
  const startMs = performance.now()
  await action()
  while ((await page.locator('tbody tr').count()) === 0 || (await firstRow(page)) === before) {
    if (performance.now() - startMs > limitMs) throw new Error(`no other row: ${page.url()}`)
    await page.waitForTimeout(2)
  }
  return performance.now() - startMs
}

const observeLongTasks = `window.longTasks = []; new PerformanceObserver((list) =>
  longTasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: 'longtask' })`

/** The longest stretch in which the page could not answer a hand, in milliseconds. */
async function longestTask(page: Page, action: () => Promise<unknown>): Promise<number> {
  await page.evaluate('longTasks.length = 0')
  await action()
  return Number(await page.evaluate('Math.max(0, ...longTasks)'))
}

async function measure(world: DashboardWorld, page: Page, size: number): Promise<Reading[]> {
  const seen = new Map<string, number[]>()
  const note = (name: string, ms: number) => seen.set(name, [...(seen.get(name) ?? []), ms])
  const table = '/sandbox/transactions'
  const choose = (label: string, value: string) => () => page.getByLabel(label).selectOption(value)
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank')
    note('open the page, to its rows', await timed(page, () => page.goto(table)))
    await page.evaluate(observeLongTasks)
    const next = () => page.getByRole('button', { name: 'Next' }).click()
    note('next page', await timed(page, next))
    note('page after it', await timed(page, next))
    await page.goto(table)
    await page.locator('tbody tr').first().waitFor()
    await page.evaluate(observeLongTasks)
    note('filter: failed', await timed(page, choose('Status', 'failed')))
    note('filter: failed, by card', await timed(page, choose('Method', 'card')))
    await page.goto(table)
    await page.locator('tbody tr').first().waitFor()
    await page.evaluate(observeLongTasks)
    const search = page.getByLabel('Id or reference')
    await search.fill(`year-${size}-${size / 2 + round}`)
    note('search a reference', await timed(page, () => search.press('Enter')))
    await page.goto(table)
    await page.locator('tbody tr').first().waitFor()
    await page.evaluate(observeLongTasks)
    note('scroll: longest task', await longestTask(page, () => scroll(page)))
    note(
      'live payments, 10 a second: longest task',
      await longestTask(page, () => payFor(world, liveSeconds, round)),
    )
  }
  return [...seen].map(([name, all]) => ({ name, ms: Math.min(...all) }))
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 600)
  for (let step = 0; step < scrollSteps; step++) {
    await page.mouse.wheel(0, step < scrollSteps / 2 ? 150 : -150)
    await page.waitForTimeout(16)
  }
}

async function payFor(world: DashboardWorld, seconds: number, round: number): Promise<void> {
  for (let tenth = 0; tenth < seconds * 10; tenth++) {
    const next = new Promise((resolve) => setTimeout(resolve, 100))
    await payByPhone(world, `live-${performance.now()}-${round}-${tenth}`, '000')
    await next
  }
}

const endings: (() => Promise<void>)[] = []
const t = { after: (run: () => Promise<void>) => void endings.unshift(run) }
try {
  const world = await startDashboard(t)
  await payByPhone(world, 'the-first', '000')
  const { page, close } = await world.visit('owner')
  await page.goto('/sandbox/transactions')
  await page.getByRole('row', { name: /the-first.*Successful/ }).waitFor()
  const columns: Reading[][] = []
  for (const size of sizes) {
    console.error(`adding ${size} transactions`)
    await addPayments(world, size)
    console.error('measuring')
    columns.push(await measure(world, page, size))
  }
  const shown = (values: (string | number)[]) => console.log(`| ${values.join(' | ')} |`)
  shown([
    `Milliseconds, best of ${rounds}`,
    ...sizes.map((size) => `with ${size.toLocaleString('en')}`),
  ])
  shown(['---', ...sizes.map(() => '---')])
  for (const [at, { name }] of columns[0]!.entries()) {
    shown([name, ...columns.map((column) => Math.ceil(column[at]!.ms))])
  }
  await close()
} finally {
  for (const end of endings) await end()
}
