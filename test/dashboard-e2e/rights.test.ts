import assert from 'node:assert/strict'
import { after } from 'node:test'
import { dashboardRoutes } from '../../src/http/dashboard/index.ts'
import { placesOf, sessionPlacesOf } from '../../src/http/dashboard/register-dashboard.ts'
import { routes } from '../../src/http/routes/index.ts'
import { pageTests } from './page-test.ts'
import { allPages, goAndSettle } from './pages.ts'
import { addExamples } from './seed.ts'
import { requestAs, startDashboard } from './world.ts'

const world = await startDashboard({ after })
const examples = await addExamples(world)
const pageTest = pageTests(world)

/** What only looks, or changes nothing but the person's own things and this page's view. */
const harmless = [
  ...['Copy', 'Copied', 'Menu', 'Your account', 'Next', 'Previous', 'First page', 'Clear filters'],
  ...['Show', 'Hide', 'Save', 'Change password', 'Set up', 'Sign out everywhere else'],
]

/** Pages that nobody can change anything on, and second views of one that is looked at. */
const onlyRead = /^(transaction |transactions none|not there|live |money (ledger|rates|wallets))/

pageTest('a viewer finds no button that changes anything of the account', async (open) => {
  const { page, allow } = await open('viewer')
  allow(/status of 403/)
  for (const { path, name } of allPages(examples).filter((each) => !onlyRead.test(each.name))) {
    await goAndSettle(page, path)
    const names = await page
      .locator('main button:visible')
      .evaluateAll((buttons) =>
        buttons.map((button) => button.getAttribute('aria-label') || button.textContent || ''),
      )
    const strange = names.filter(
      (text) => !harmless.some((word) => text === word || text.startsWith('Copy ')),
    )
    const looks = /^(Created|Updated|GET |POST |PUT |DELETE )|^Toggle/
    assert.deepEqual(
      strange.filter((text) => !looks.test(text)),
      [],
      name,
    )
  }
})

pageTest('a viewer is refused every request a viewer may not make', async () => {
  const viewer = await world.person('viewer')
  const id = examples.payoutId
  const forbidden = [
    ...dashboardRoutes.flatMap((route) =>
      placesOf(route).map(({ url }) => ({ method: route.method, url, may: route.may })),
    ),
    ...routes.flatMap((route) =>
      sessionPlacesOf(route).map(({ url, may }) => ({ method: route.method, url, may })),
    ),
  ].filter(({ may }) => typeof may !== 'string' && !may.includes('viewer'))
  assert.ok(forbidden.length > 40)
  for (const { method, url } of forbidden) {
    const path = url.replace(/^\/dashboard/, '').replaceAll(/:\w+/g, id)
    const response = await requestAs(world, viewer, method, path, method === 'GET' ? undefined : {})
    assert.equal(response.status, 403, `${method} ${url}`)
  }
})

pageTest(
  'a session of another merchant shows nothing of this one, by any address',
  async (open) => {
    const stranger = await world.stranger()
    const { page, allow } = await open(stranger)
    allow(/status of 404/)
    const paths = [
      `/transactions/${examples.payoutId}`,
      `/wallets/${examples.walletId}`,
      `/batches/${examples.batchId}`,
      `/developers/webhooks?record=${examples.webhookId}`,
    ]
    for (const path of paths) {
      await page.goto(`/sandbox${path}`)
      await page.getByText('There is nothing here').first().waitFor()
      const text = await page.locator('body').innerText()
      assert.doesNotMatch(text, /example-|Amina|254700000000/)
    }
    await page.goto('/sandbox/transactions?search=example-')
    await page.getByText('No transaction matches').waitFor()
    const requests = [
      `/transactions/${examples.payoutId}`,
      `/wallets/${examples.walletId}/statement`,
      `/wallets/${examples.walletId}/statement.csv`,
      `/batches/${examples.batchId}`,
      `/batches/${examples.doneBatchId}/result.csv`,
      `/webhooks/${examples.webhookId}`,
      `/b2b/transactions/${examples.payoutId}`,
    ]
    for (const path of requests) {
      const response = await requestAs(world, stranger, 'GET', `/sandbox${path}`)
      assert.equal(response.status, 404, path)
    }
  },
)
