import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { startBrowser } from './browser.ts'
import { assertBooksAgree } from './charge-books.ts'
import { cardDetails, openTill, startChargeWorld, storyOf } from './charge-world.ts'

const world = await startChargeWorld({ after })
const till = await openTill(world)
const address = await world.server.listen({ host: '127.0.0.1', port: 0 })
/** The harness gives its pages an address without a port. */
const here = (url: unknown) => address + new URL(String(url)).pathname

/** The shop the customer comes back to. */
const shop = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end('<!doctype html><title>The shop</title><h1>Welcome back</h1>')
}).listen(0, '127.0.0.1')
await once(shop, 'listening')
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`

const browser = await startBrowser()
after(async () => {
  await browser.close()
  shop.close()
})

/** A customer whose browser runs no scripts, and who sees whatever the page complains of. */
async function customer(t: { after(run: () => Promise<void>): void }) {
  const context: BrowserContext = await browser.newContext({ javaScriptEnabled: false })
  t.after(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void complaints.push(message.text()))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  return { page, complaints }
}

async function chargeByCard(fields: object = {}) {
  const card = cardDetails('4000002760003184')
  const redirectUrl = `${shopUrl}/back?cart=7`
  const { body, text } = await till.card({ cardDetails: card, redirectUrl, ...fields })
  const data = body.data as { transactionId: string; redirectUrl: string }
  assert.ok(data.redirectUrl, text)
  return { id: data.transactionId, url: here(data.redirectUrl) }
}

const button = (page: Page, name: string) => page.getByRole('button', { name })
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const isShopUrl = (url: URL) => url.href.startsWith(shopUrl)
const isShop = (page: Page) => page.url().startsWith(shopUrl)

async function endOf(id: string): Promise<(string | null)[]> {
  await world.pass(2000)
  const { state, reason } = await storyOf(world, id)
  return [state, reason]
}

test('3-D Secure is approved with the keyboard alone, and the shop is told', async (t) => {
  const { page, complaints } = await customer(t)
  const { id, url } = await chargeByCard()
  await page.goto(url)
  assert.equal(await page.title(), 'Confirm your payment')
  assert.equal(await heading(page), 'Confirm your payment')
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  assert.equal(await page.getByRole('main').count(), 1)
  assert.equal(await page.locator('script').count(), 0)
  assert.match(await page.getByRole('main').innerText(), /KES 25\.00.*400000\*{6}3184/s)
  await page.keyboard.press('Tab')
  const focused = page.locator(':focus')
  assert.equal(await focused.textContent(), 'Approve')
  const style = 'getComputedStyle(document.activeElement).outlineStyle'
  assert.notEqual(await page.evaluate(style), 'none')
  await page.keyboard.press('Enter')
  await page.waitForURL(isShopUrl)
  const { pathname, searchParams } = new URL(page.url())
  assert.equal(pathname, '/back')
  assert.deepEqual(
    [searchParams.get('cart'), searchParams.get('transactionId'), searchParams.get('status')],
    ['7', id, 'approved'],
  )
  assert.equal(await heading(page), 'Welcome back')
  assert.deepEqual(complaints, [])
  assert.deepEqual(await endOf(id), ['succeeded', null])
})

test('3-D Secure is declined, also with the keyboard', async (t) => {
  const { page } = await customer(t)
  const { id, url } = await chargeByCard()
  await page.goto(url)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await page.locator(':focus').textContent(), 'Decline')
  await page.keyboard.press('Space')
  await page.waitForURL(isShopUrl)
  assert.equal(new URL(page.url()).searchParams.get('status'), 'declined')
  assert.deepEqual(await endOf(id), ['failed', 'The customer declined.'])
})

test('a customer who walks away: the charge expires and the page says so', async (t) => {
  const { page } = await customer(t)
  const { id, url } = await chargeByCard()
  await page.goto(url)
  await world.pass(30 * 60_000)
  await button(page, 'Approve').click()
  assert.equal(await heading(page), 'This payment is over')
  assert.ok(!isShop(page))
  assert.deepEqual(await endOf(id), ['failed', 'expired'])
})

test('a link works once, also from the history and from a second window', async (t) => {
  const { page } = await customer(t)
  const { id, url } = await chargeByCard()
  const second = await page.context().newPage()
  await Promise.all([page.goto(url), second.goto(url)])
  await button(page, 'Approve').click()
  await page.waitForURL(isShopUrl)
  await button(second, 'Decline').click()
  assert.equal(await heading(second), 'This link was used')
  await page.goto(url)
  assert.equal(await heading(page), 'This link was used')
  assert.equal(await page.getByRole('button').count(), 0)
  assert.deepEqual(await endOf(id), ['succeeded', null])
})

test('a link that was tampered with shows nothing and does nothing', async (t) => {
  const { page } = await customer(t)
  const { id, url } = await chargeByCard()
  const changed = `${url.slice(0, -2)}${url.endsWith('AA') ? 'BB' : 'AA'}`
  const response = await page.goto(changed)
  assert.equal(response?.status(), 404)
  assert.equal(await heading(page), 'This link does not work')
  assert.equal((await storyOf(world, id)).state, 'awaiting')
})

test('without an address to return to the page itself tells the end', async (t) => {
  const { page } = await customer(t)
  for (const [name, title, state] of [
    ['Approve', 'Payment approved', 'succeeded'],
    ['Decline', 'Payment declined', 'failed'],
  ] as const) {
    const { id, url } = await chargeByCard({ redirectUrl: undefined })
    await page.goto(url)
    await button(page, name).click()
    assert.equal(await heading(page), title)
    assert.equal((await endOf(id))[0], state)
  }
})

test('the page of a mobile money operator returns to the address of its outcome', async (t) => {
  const { page } = await customer(t)
  const wave = {
    ...{ currency: 'XOF', amount: 5000, phoneNumber: '+221771234567', momoOperatorId: 'wave' },
    successRedirectUrl: `${shopUrl}/thanks`,
    failureRedirectUrl: `${shopUrl}/sorry`,
  }
  for (const [name, path, state] of [
    ['Approve', '/thanks', 'succeeded'],
    ['Decline', '/sorry', 'failed'],
  ] as const) {
    const id = await till.accepted(till.momo(wave))
    await world.work()
    await page.goto(here((await till.read(id)).redirectUrl))
    assert.match(await page.getByRole('main').innerText(), /XOF 5,000/)
    await button(page, name).click()
    await page.waitForURL(isShopUrl)
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal((await endOf(id))[0], state)
  }
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
