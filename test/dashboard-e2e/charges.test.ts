import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { field, fillKenyanPhone } from './forms.ts'
import { pageTests } from './page-test.ts'
import { startDashboard } from './world.ts'

const world = await startDashboard({ after })
const pageTest = pageTests(world)

const ask = (page: Page) => page.getByRole('button', { name: 'Request payment' }).click()
const collected = (page: Page) => page.getByText('Collected', { exact: true }).waitFor()

/** Opens an account for one payment of this amount, and tells its number. */
async function askForTransfer(page: Page, amount: string): Promise<string> {
  await page.getByRole('radio', { name: 'Bank transfer' }).check()
  await field(page, 'Amount').fill(amount)
  await field(page, 'E-mail of the customer').fill('wanjiru@shop.example')
  await ask(page)
  const details = page.getByRole('region', { name: 'Give these details to the customer' })
  return await details.locator('code').first().innerText()
}

async function payInPanel(page: Page, accountNumber: string, amount: string): Promise<void> {
  const panel = page.getByRole('region', { name: 'Pay into a virtual account' })
  await field(panel, 'Account number').fill(accountNumber)
  await field(panel, 'Amount').fill(amount)
  await panel.getByRole('button', { name: 'Send transfer' }).click()
}

pageTest('a phone is asked for money, confirms with a code, and the page follows', async (open) => {
  const { page, go, allow } = await open('finance')
  await go('/charges', 'Charges')
  await field(page, 'Phone number of the customer').fill('+254700000004')
  await field(page, 'Amount').fill('1500')
  await ask(page)
  await field(page, 'One-time password').fill('999999')
  await page.getByRole('button', { name: 'Confirm' }).click()
  allow(/status of 4\d\d/)
  await page
    .getByText(/wrong|not right|does not/i)
    .first()
    .waitFor()
  await field(page, 'One-time password').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await collected(page)
})

pageTest('a card is charged, and another confirms on the page of its bank', async (open) => {
  const { page, go, context } = await open('finance')
  await go('/charges', 'Charges')
  await page.getByRole('radio', { name: 'Card' }).check()
  await page.getByRole('button', { name: 'Use card 4242 4242 4242 4242' }).click()
  await field(page, 'Amount').fill('2500')
  await ask(page)
  await collected(page)
  await page.getByRole('button', { name: 'New payment request' }).click()
  await page.getByRole('radio', { name: 'Card' }).check()
  await page.getByRole('button', { name: 'Use card 4000 0027 6000 3184' }).click()
  await field(page, 'Amount').fill('2500')
  await ask(page)
  const [bank] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Open the page' }).click(),
  ])
  await bank.getByRole('button', { name: 'Approve' }).click()
  await collected(page)
})

pageTest(
  'a virtual account is paid in the sandbox panel, and the charge is collected',
  async (open) => {
    const charge = await open('finance')
    await charge.go('/charges', 'Charges')
    const accountNumber = await askForTransfer(charge.page, '20000')
    const panel = await open('developer')
    await panel.go('/developers/sandbox', 'Developers')
    await payInPanel(panel.page, accountNumber, '20000')
    await panel.told('The transfer was sent.')
    await collected(charge.page)
  },
)

pageTest('the sandbox panel decides what becomes of a pending payment', async (open) => {
  const { page, go, told } = await open('developer')
  await go('/charges', 'Charges')
  await field(page, 'Phone number of the customer').fill('+254700000003')
  await field(page, 'Amount').fill('700')
  await field(page, 'Reference').fill('to-be-decided')
  await ask(page)
  await page.getByText('Waiting for the customer').first().waitFor()
  await go('/developers/sandbox', 'Developers')
  const panel = page.getByRole('region', { name: 'Decide an outcome' })
  await field(panel, 'External reference').fill('to-be-decided')
  await panel.getByRole('radio', { name: 'Failed' }).check()
  await panel.getByRole('button', { name: 'Simulate' }).click()
  await told('Done. The event is on its way.')
  await go('/transactions?search=to-be-decided', 'Transactions')
  await page.getByRole('row', { name: /to-be-decided.*Failed/ }).waitFor()
})

pageTest(
  'money that settles nothing is seen, credited and stands in the statement',
  async (open) => {
    const { page, go, told } = await open('owner')
    await go('/charges', 'Charges')
    const accountNumber = await askForTransfer(page, '3000')
    await go('/developers/sandbox', 'Developers')
    await payInPanel(page, accountNumber, '123')
    await told('The transfer was sent.')
    await go('/overview', 'Overview')
    await page.getByRole('link', { name: '1 amount arrived without a home' }).click()
    await page.getByRole('button', { name: 'Credit 123.00 KES' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Credit' }).click()
    await told('Credited to your wallet.')
    await page.getByText('Credited', { exact: true }).waitFor()
    await go('/money/wallets', 'Money')
    await page.getByRole('table', { name: 'Wallets' }).getByRole('link', { name: 'KES' }).click()
    await page.getByRole('heading', { level: 1, name: /^Statement of KES/ }).waitFor()
    const credit = page.getByRole('row', { name: /Credited from suspense/ })
    await credit.getByText('+123.00').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /\.csv$/)
    await go('/money/ledger', 'Money')
    await page.getByRole('table', { name: 'Trial balance' }).getByText('suspense').waitFor()
  },
)

pageTest('rates are shown with a month of history', async (open) => {
  const { page, go } = await open('viewer')
  await go('/money/rates', 'Money')
  await page.getByText(/^1 [A-Z]{3} brings [\d.,]+ [A-Z]{3}$/).waitFor()
})

pageTest('a beneficiary is saved with a name check, changed, paid and deleted', async (open) => {
  const { page, go, told } = await open('finance')
  await go('/beneficiaries', 'Beneficiaries')
  await page.getByRole('button', { name: 'Add beneficiary' }).first().click()
  const dialog = page.getByRole('dialog')
  await fillKenyanPhone(dialog, { name: 'Amina Otieno', phone: '+254700000000' })
  await dialog.getByRole('button', { name: 'Save beneficiary' }).click()
  await told('Beneficiary saved.')
  await page.getByRole('button', { name: 'Edit Amina Otieno' }).click()
  await field(dialog, 'Name').fill('Amina Hassan')
  await dialog.getByRole('button', { name: 'Save beneficiary' }).click()
  await told('Changes saved.')
  await page.getByRole('link', { name: 'Pay Amina Hassan' }).click()
  await page.waitForURL(/\/payouts\?to=/)
  await field(page, 'Amount').fill('50')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Send 50.00 KES' }).click()
  await page.getByText('50.00 KES to Amina Hassan', { exact: true }).waitFor()
  await go('/beneficiaries', 'Beneficiaries')
  await page.getByRole('button', { name: 'Delete Amina Hassan' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await told('Beneficiary deleted.')
  await page.getByText('No beneficiaries yet').waitFor()
})
