import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { graveIssues } from './axe.ts'
import { pageTests } from './page-test.ts'
import { allPages, atRest, doorPages, goAndSettle, type PlacedPage, settle } from './pages.ts'
import { addExamples } from './seed.ts'
import { startDashboard } from './world.ts'

const world = await startDashboard({ after })
const examples = await addExamples(world)
const pageTest = pageTests(world)
const maxScriptBytes = 200_000
const desk = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }
const still = { reducedMotion: 'reduce', viewport: desk } as const

/** Nothing serious in the light, and no colours that are hard to read in the dark. */
async function assertUsable(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await atRest(page)
  assert.deepEqual(await graveIssues(page), [], `${name}, light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await atRest(page)
  assert.deepEqual(await graveIssues(page, 'colours'), [], `${name}, dark`)
}

/** Scripts come as files of ours: the policy would stop any other, and there is none to stop. */
async function assertNoInlineScript(page: Page, name: string): Promise<void> {
  const inline = await page.evaluate(`[...document.scripts].filter((each) => !each.src).length +
    [...document.querySelectorAll('*')].filter((each) =>
      [...each.attributes].some(({ name }) => name.startsWith('on'))).length`)
  assert.equal(inline, 0, name)
}

/** A phone is scrolled down, never sideways. */
async function assertFitsPhone(page: Page, name: string): Promise<void> {
  await page.setViewportSize(phone)
  await settle(page)
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.ok(Number(over) <= 0, `${name} is ${over} pixels too wide`)
  await page.setViewportSize(desk)
}

async function assertGood(page: Page, { name, path }: PlacedPage): Promise<void> {
  await goAndSettle(page, path)
  await assertNoInlineScript(page, name)
  await assertUsable(page, name)
  await assertFitsPhone(page, name)
}

const pages = allPages(examples)
// In parts, because each test has a limit of its own.
const parts = { first: pages.slice(0, 11), second: pages.slice(11, 21), third: pages.slice(21) }

for (const [part, places] of Object.entries(parts)) {
  pageTest(
    `axe finds nothing serious, no script is inline, phones fit: ${part} third`,
    async (open) => {
      const { page, allow } = await open('owner', still)
      allow(/status of 404.*nowhere/)
      for (const place of places) await assertGood(page, place)
    },
  )
}

pageTest('so it is before the sign-in, and in dialogs', async (open) => {
  const nobody = await open('nobody', still)
  nobody.allow(/status of 401/)
  for (const place of doorPages(examples)) await assertGood(nobody.page, place)
  const { page, go } = await open('owner', still)
  const dialogs = [
    ['/developers/keys', 'Create key'],
    ['/beneficiaries', 'Add beneficiary'],
    ['/settings/people', 'Invite a person'],
    ['/developers/requests', /^(GET|POST|PUT) /],
  ] as const
  for (const [path, button] of dialogs) {
    await go(path)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    await assertUsable(page, String(button))
  }
})

pageTest(
  'the policy allows scripts of our own files only, whatever page is asked for',
  async () => {
    for (const path of ['/', '/sign-in', '/sandbox/overview', '/join/x']) {
      const response = await fetch(world.url + path, { headers: { accept: 'text/html' } })
      const policy = response.headers.get('content-security-policy') ?? ''
      assert.match(policy, /script-src 'self';/, path)
      assert.doesNotMatch(policy, /unsafe|\*/, path)
    }
  },
)

/** What a browser with an empty cache loads of scripts until all of the page stands there. */
async function scriptBytes(page: Page, path: string, last: string): Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return
    assert.equal(response.headers()['content-encoding'], 'br')
    const size = response.request().sizes()
    sizes.push(size.then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto(path)
  await page.locator(last).first().waitFor()
  await settle(page)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

pageTest('the first page needs less than 200 kB of compressed script', async (open, t) => {
  const nobody = await open('nobody')
  nobody.allow(/status of 401/)
  const owner = await open('owner')
  const signIn = await scriptBytes(nobody.page, '/sign-in', 'button[type=submit]')
  const overview = await scriptBytes(owner.page, '/sandbox/overview', 'canvas')
  t.diagnostic(`compressed script: sign-in ${signIn} bytes, overview ${overview} bytes`)
  assert.ok(signIn > 10_000 && signIn <= maxScriptBytes, `sign-in: ${signIn}`)
  assert.ok(overview > 10_000 && overview <= maxScriptBytes, `overview: ${overview}`)
})
