import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A window on the dashboard, and everything it complained of. */
export type Visit = {
  page: Page
  context: BrowserContext
  /** What the console, the page or its security policy complained of, but for what is allowed. */
  complaints(): string[]
  /** From now on the browser may complain of this: it is what the test provokes. */
  allow(pattern: RegExp): void
  /** To a page of the sandbox, until it shows its heading. */
  go(path: string, heading?: string | RegExp): Promise<void>
  /** The message that comes after something was done. */
  told(text: string | RegExp): Promise<void>
  close(): Promise<void>
}

export type VisitOptions = BrowserContextOptions

/** The machine may be busy with many other things. */
export const patienceMs = 20_000
const desktop = { width: 1280, height: 900 }
const cookieName = 'malipo_session'
/** The violation has no stack and no message of its own where nobody listens. */
const tellViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))`

export async function newVisit(
  browser: Browser,
  url: string,
  cookie: string | undefined,
  options: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: desktop, baseURL: url, ...options })
  context.setDefaultTimeout(patienceMs)
  context.setDefaultNavigationTimeout(patienceMs)
  await context.addInitScript(tellViolations)
  if (cookie !== undefined) await context.addCookies([{ name: cookieName, value: cookie, url }])
  const heard: string[] = []
  const allowed: RegExp[] = []
  context.on('request', (request) => {
    const isOurs = /^(data|blob):/.test(request.url()) || request.url().startsWith(`${url}/`)
    if (!isOurs) heard.push(`asked for ${request.url()}`)
  })
  context.on('console', (message) => {
    const { url: place } = message.location()
    if (message.type() === 'error' || message.type() === 'warning') {
      heard.push(`${message.text()} ${place}`)
    }
  })
  context.on('weberror', (error) => heard.push(String(error.error())))
  const page = await context.newPage()
  return {
    page,
    context,
    complaints: () => heard.filter((text) => !allowed.some((pattern) => pattern.test(text))),
    allow: (pattern) => void allowed.push(pattern),
    async go(path, heading) {
      await page.goto(`/sandbox${path}`)
      await page
        .getByRole('heading', { level: 1, ...(heading === undefined ? {} : { name: heading }) })
        .waitFor()
    },
    async told(text) {
      await page.getByRole('status').getByText(text).last().waitFor()
    },
    close: () => context.close(),
  }
}
