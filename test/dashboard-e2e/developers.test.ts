import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { waitFor } from '../harness.ts'
import { exchange } from '../processes.ts'
import { startReceiver } from '../receivers.ts'
import { field } from './forms.ts'
import { pageTests } from './page-test.ts'
import { patienceMs } from './visit.ts'
import { startDashboard } from './world.ts'

const world = await startDashboard({ after }, { MALIPO_WEBHOOK_RETRIES: '1' })
const pageTest = pageTests(world)

/** The keys of the dialog that shows them once. */
async function takeKeys(page: Page): Promise<{ publicKey: string; apiKey: string }> {
  const dialog = page.getByRole('dialog', { name: 'Your new API key' })
  await dialog.locator('code').nth(1).waitFor()
  const [publicKey = '', apiKey = ''] = await dialog.locator('code').allInnerTexts()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await dialog.waitFor({ state: 'detached' })
  return { publicKey, apiKey }
}

const statusWith = async (keys: { publicKey: string; apiKey: string }) =>
  (await exchange(world.url, keys)).status

pageTest('a key is shown once, rotated and revoked, and each counts at once', async (open) => {
  const { page, go, told } = await open('developer')
  await go('/developers/keys', 'Developers')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await field(dialog, 'Name').fill('web shop')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const first = await takeKeys(page)
  assert.equal(await statusWith(first), 200)

  await page.getByRole('button', { name: 'Rotate web shop' }).click()
  await dialog.getByLabel('The old key works for').selectOption('0')
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  const second = await takeKeys(page)
  assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 200])

  await page.getByRole('button', { name: 'Revoke web shop' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await told('Key revoked.')
  assert.equal(await statusWith(second), 401)
  await page.reload()
  await page.getByText('Revoked', { exact: true }).waitFor()
  const text = await page.locator('body').innerText()
  assert.ok(![first.apiKey, second.apiKey].some((secret) => text.includes(secret)))
})

const pay = (externalReference: string) =>
  world.api('POST', '/fiat/payout', {
    ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference },
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254700000000' },
  })

const records = (page: Page): Locator => page.getByRole('table', { name: 'Events' })

pageTest('events that did not arrive are seen with their attempts and sent again', async (open) => {
  let status = 500
  const receiver = await startReceiver({ after }, (_request, response) => {
    response.statusCode = status
    response.end(status === 500 ? 'out of order' : 'ok')
  })
  const { page, go, told } = await open('developer')
  await go('/developers/webhooks', 'Developers')
  await field(page, 'Webhook URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Save URL' }).click()
  await told('Webhook URL saved.')
  await pay('told-late-1')
  await pay('told-late-2')
  const failed = records(page).getByRole('row', { name: /told-late-.*Failed/ })
  await waitFor(async () => (await failed.count()) >= 2, { timeoutMs: patienceMs })
  status = 200
  await go('/developers/webhooks?status=FAILED', 'Developers')
  await records(page).getByRole('button', { name: 'Created' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Event' })
  await drawer.getByText('out of order').first().waitFor()
  await drawer.getByText('"event": "transaction_created"').waitFor()
  const id = new URL(page.url()).searchParams.get('record')
  // The others are tried again by themselves meanwhile.
  const arrivals = () => receiver.ids().filter((each) => each === id).length
  const before = arrivals()
  assert.ok(before > 0, `${id} was not among ${receiver.ids()}`)
  await drawer.getByRole('button', { name: 'Resend' }).click()
  await told('1 event sent again.')
  await drawer.getByText(/^Delivered$/).waitFor()
  assert.equal(arrivals(), before + 1)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Resend all failed' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resend all failed' }).click()
  await told(/events? sent again\./)
  await page.getByText('No events here').waitFor()
  await waitFor(() => new Set(receiver.ids()).size >= 2, { timeoutMs: patienceMs })
})

pageTest('chosen events are sent again, and the secret is rotated and shown once', async (open) => {
  const receiver = await startReceiver({ after })
  await world.api('PUT', '/users/webhooks', { sandboxWebhookUrl: receiver.url })
  await pay('told-twice')
  await waitFor(() => receiver.received.length >= 2, { timeoutMs: patienceMs })
  const { page, go, told } = await open('developer')
  await go('/developers/webhooks?transaction=told-twice', 'Developers')
  for (const box of [0, 1]) await records(page).getByRole('checkbox').nth(box).check()
  await page.getByRole('button', { name: 'Resend 2 selected' }).click()
  await told('2 events sent again.')
  await waitFor(() => receiver.received.length >= 4, { timeoutMs: patienceMs })
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new signing secret' })
  const secret = await dialog.locator('code').innerText()
  assert.match(secret, /^whsec_/)
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Rotate secret' }).waitFor()
  assert.ok(!(await page.content()).includes(secret))
})

pageTest('requests of programs are logged, and a card is not in the log', async (open) => {
  const card = { number: '4242424242424242', cvv: '123', expMonth: '12', expYear: '2030' }
  await world.api('POST', '/fiat/deposit/card', {
    ...{ amount: 100, currency: 'KES', email: 'a@shop.example', firstName: 'A', lastName: 'B' },
    ...{ externalReference: 'logged-card', cardDetails: card },
  })
  const { page, go } = await open('developer')
  await go('/developers/requests', 'Developers')
  await page
    .getByRole('button', { name: /POST .*deposit\/card/ })
    .first()
    .click()
  const drawer = page.getByRole('dialog', { name: 'Request' })
  await drawer.getByText('logged-card').first().waitFor()
  assert.doesNotMatch(await page.content(), /4242 ?4242|"123"/)
  await page.keyboard.press('Escape')
  await go('/developers/requests?status=4xx', 'Developers')
  await page.getByRole('button', { name: /deposit\/card/ }).waitFor({ state: 'detached' })
})
