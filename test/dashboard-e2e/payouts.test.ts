import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { choose, field, fillKenyanPhone } from './forms.ts'
import { pageTests } from './page-test.ts'
import { startDashboard } from './world.ts'

const world = await startDashboard({ after })
const pageTest = pageTests(world)

async function payByApi(externalReference: string, ending = '000'): Promise<string> {
  const { transactionId } = await world.api<{ transactionId: string }>('POST', '/fiat/payout', {
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference },
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: `+254700000${ending}` },
  })
  return transactionId
}

const tableOf = (page: Page) => page.getByRole('table', { name: /^Transactions/ })

pageTest('a payout is sent by hand and becomes successful before one’s eyes', async (open) => {
  const { page, go } = await open('finance')
  await go('/payouts', 'Payouts')
  await page.getByRole('radio', { name: 'New' }).check()
  await fillKenyanPhone(page, { name: 'Amina Otieno', phone: '+254700000000' })
  await field(page, 'Amount').fill('1250')
  await page.getByText('1,250.00 KES').first().waitFor()
  await field(page, 'Reference').fill('by-hand-1')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.evaluate('window.notReloaded = true')
  await page.getByRole('button', { name: 'Send 1,250.00 KES' }).click()
  await page.getByText('On its way').waitFor()
  await page.getByText('Paid', { exact: true }).waitFor()
  assert.equal(await page.evaluate('window.notReloaded'), true)
  await page.getByText('The payout is successful').waitFor()
})

pageTest('a payout in another currency shows its rate before it is sent', async (open) => {
  const { page, go } = await open('finance')
  await go('/payouts', 'Payouts')
  await page.getByRole('radio', { name: 'New' }).check()
  await fillKenyanPhone(page, { name: 'Amina Otieno', phone: '+254700000000' })
  await field(page, 'Amount').fill('10000')
  await choose(page, 'From wallet', 'USD')
  await page.getByText(/^1 USD = [\d.]+ KES$/).waitFor()
  await page.getByText(/^about [\d,.]+ USD$/).waitFor()
})

pageTest('transactions are found by filter and by reference, and told as a story', async (open) => {
  await payByApi('find-paid')
  const declined = await payByApi('find-declined', '001')
  const { page, go } = await open('viewer')
  await go('/transactions', 'Transactions')
  const row = tableOf(page).getByRole('link', { name: 'find-declined' })
  await row.waitFor()
  await tableOf(page)
    .getByRole('row', { name: /find-declined.*Failed/ })
    .waitFor()
  await page.getByLabel('Status').selectOption('failed')
  await page.waitForURL(/status=failed/)
  await tableOf(page).getByRole('link', { name: 'find-paid' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await field(page, 'Id or reference').fill('find-p')
  await field(page, 'Id or reference').press('Enter')
  await page.waitForURL(/search=find-p/)
  await row.waitFor({ state: 'detached' })
  await field(page, 'Id or reference').fill(declined)
  await field(page, 'Id or reference').press('Enter')
  await row.click()
  await page.getByRole('heading', { level: 1, name: 'Payout' }).waitFor()
  const story = page.getByRole('region', { name: 'What happened' })
  await story.getByText('Held 1,000.00 KES in the wallet').waitFor()
  await story.getByText('Returned 1,000.00 KES to the wallet').waitFor()
  await story.getByText('The payout failed').waitFor()
  await story
    .getByText(/It said: The customer declined\.( |$)/)
    .first()
    .waitFor()
  await page.getByRole('img', { name: /Wallet → Held; .*Held → Wallet/ }).waitFor()
  await page.getByRole('link', { name: '2. transaction_updated' }).click()
  await page.getByRole('dialog', { name: 'Event' }).getByText('"status": "failed"').waitFor()
})

pageTest('what the filters show is saved as a file', async (open) => {
  await payByApi('saved-1')
  const { page, go } = await open('viewer')
  await go('/transactions?search=saved-', 'Transactions')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /saved-1/)
})

pageTest('more transactions than a page has are turned over forth and back', async (open) => {
  await Promise.all(Array.from({ length: 55 }, (_, at) => payByApi(`many-${at}`)))
  const { page, go } = await open('viewer')
  await go('/transactions', 'Transactions')
  const names = () => tableOf(page).getByRole('link').allInnerTexts()
  await tableOf(page).waitFor()
  const first = await names()
  assert.equal(first.length, 50)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Previous' }).waitFor()
  await tableOf(page)
    .getByRole('link', { name: first[0]!, exact: true })
    .waitFor({ state: 'detached' })
  assert.ok((await names()).every((name) => !first.includes(name)))
  await page.getByRole('button', { name: 'Previous' }).click()
  await tableOf(page).getByRole('link', { name: first[0]!, exact: true }).waitFor()
})
