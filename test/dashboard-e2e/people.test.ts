import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { field } from './forms.ts'
import { pageTests } from './page-test.ts'
import { startDashboard } from './world.ts'

const world = await startDashboard({ after })
const pageTest = pageTests(world)

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

const refused = /status of 401/

pageTest(
  'a wrong password opens nothing, and the right one leads to where one wanted',
  async (open) => {
    const { page, context, allow } = await open('nobody')
    allow(refused)
    await page.goto('/sandbox/transactions?status=failed')
    await heading(page, 'Sign in').waitFor()
    await signIn(page, world.login.email, 'not the password')
    await page.getByRole('alert').waitFor()
    assert.deepEqual(await context.cookies(), [])
    await signIn(page, world.login.email, world.login.password)
    await heading(page, 'Transactions').waitFor()
    assert.match(page.url(), /\/sandbox\/transactions\?status=failed$/)
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
  },
)

pageTest('which environment it is can always be seen and changed', async (open) => {
  const { page, go } = await open('viewer')
  await go('/overview', 'Overview')
  const place = page.getByRole('navigation', { name: 'Environment' })
  const current = place.locator('[aria-current]')
  assert.equal(await current.innerText(), 'Sandbox')
  await place.getByRole('link', { name: 'Live' }).click()
  await page.waitForURL(/\/live\/overview/)
  await place.locator('[aria-current]', { hasText: 'Live' }).waitFor()
})

pageTest('whoever turns on the second step is asked for its code from then on', async (open) => {
  const { page, go, told, allow } = await open('nobody')
  allow(refused)
  await page.goto('/sign-in')
  await signIn(page, world.login.email, world.login.password)
  await heading(page, 'Overview').waitFor()
  await go('/settings/profile', 'Settings')
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('img', { name: 'A QR code with the key below' }).waitFor()
  const secret = await page.locator('code').innerText()
  const codeAt = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })
  await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(Date.now()))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await told('Two-step sign-in is on')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await signIn(page, world.login.email, world.login.password)
  await heading(page, 'One more step').waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('alert').waitFor()
  // A code works once, and that of the next half minute is taken a little early.
  await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(Date.now() + 30_000))
  await page.getByRole('button', { name: 'Verify' }).click()
  await heading(page, 'Overview').waitFor()
})

pageTest('an owner invites a person, who joins; a changed role counts at once', async (open) => {
  const owner = await open('owner')
  await owner.go('/settings/people', 'Settings')
  await owner.page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = owner.page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('zuri@shop.example')
  await dialog.getByLabel('Name').fill('Zuri Njeri')
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Make the invitation' }).click()
  const link = await dialog.locator('code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const zuri = await open('nobody')
  await zuri.page.goto(link)
  await heading(zuri.page, 'Join Demo').waitFor()
  await zuri.page.getByRole('textbox', { name: 'New password' }).fill('four words are enough')
  await zuri.page.getByRole('button', { name: 'Begin' }).click()
  await heading(zuri.page, 'Overview').waitFor()
  await zuri.go('/payouts', 'Payouts')
  await zuri.page.getByText('Your role may not send payouts').waitFor()

  await owner.page.reload()
  await owner.page.getByRole('button', { name: 'Change Zuri Njeri' }).click()
  await owner.page.getByRole('dialog').getByLabel('Role').selectOption('finance')
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await owner.told('Saved')
  await zuri.page.reload()
  await zuri.page.getByRole('button', { name: 'Review' }).waitFor()

  await owner.go('/settings/audit', 'Settings')
  const log = owner.page.getByRole('table', { name: /^Audit log/ })
  await log.getByText('Zuri Njeri').first().waitFor()
  await log.getByText('finance').first().waitFor()

  const second = await open('nobody')
  second.allow(/status of 404/)
  await second.page.goto(link)
  await heading(second.page, 'This invitation does not work').waitFor()
})

pageTest('a person sets their time zone, and an owner the limits of the account', async (open) => {
  const { page, go, told } = await open('owner')
  await go('/settings/profile', 'Settings')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Amina Hassan')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await told('Saved')
  await go('/settings/account', 'Settings')
  await page.getByLabel('Add a limit').selectOption('KES')
  await field(page, 'Limit in KES').fill('500000')
  const limits = page.getByRole('region', { name: 'Approval limits' })
  await limits.getByRole('button', { name: 'Save' }).click()
  await told('Saved')
  await page.reload()
  await field(page, 'Limit in KES').waitFor()
  assert.equal(await field(page, 'Limit in KES').inputValue(), '500000')
})
