import type { Page } from 'playwright-core'
import type { Examples } from './seed.ts'

export type PlacedPage = { name: string; path: string }

/** Every page behind the sign-in, each with something to show. */
export function allPages(examples: Examples): PlacedPage[] {
  const { payoutId, declinedId, chargeId, walletId, batchId, doneBatchId, webhookId } = examples
  const places: Record<string, string> = {
    overview: '/overview',
    transactions: '/transactions',
    'transactions none': '/transactions?search=nothing-like-it',
    'transaction payout': `/transactions/${payoutId}`,
    'transaction declined': `/transactions/${declinedId}`,
    'transaction charge': `/transactions/${chargeId}`,
    payouts: '/payouts',
    'payout sent': `/payouts?sent=${payoutId}`,
    batches: '/batches',
    'batch draft': `/batches/${batchId}`,
    'batch done': `/batches/${doneBatchId}`,
    charges: '/charges',
    'charge waiting': `/charges?sent=${chargeId}`,
    beneficiaries: '/beneficiaries',
    'money wallets': '/money/wallets',
    'money rates': '/money/rates',
    'money ledger': '/money/ledger',
    'money suspense': '/money/suspense',
    statement: `/wallets/${walletId}`,
    'developers keys': '/developers/keys',
    'developers webhooks': '/developers/webhooks',
    'developers webhook': `/developers/webhooks?record=${webhookId}`,
    'developers requests': '/developers/requests',
    'developers sandbox': '/developers/sandbox',
    'settings profile': '/settings/profile',
    'settings people': '/settings/people',
    'settings account': '/settings/account',
    'settings audit': '/settings/audit',
    'not there': '/nowhere',
  }
  return [
    ...Object.entries(places).map(([name, path]) => ({ name, path: `/sandbox${path}` })),
    { name: 'live overview', path: '/live/overview' },
    { name: 'live beneficiaries', path: '/live/beneficiaries' },
  ]
}

/** The pages of whoever is not signed in. */
export const doorPages = (examples: Examples): PlacedPage[] => [
  { name: 'sign in', path: '/sign-in' },
  { name: 'join', path: examples.joinPath },
]

/** Goes there, and waits until everything that loads has loaded. */
export async function goAndSettle(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await settle(page)
}

export async function settle(page: Page): Promise<void> {
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' })
  await atRest(page)
}

/** When two pictures in a row were drawn without a change of colour that is under way. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let calm = 0; calm < 2; calm++) {
      await new Promise(requestAnimationFrame)
      const changes = document.getAnimations()
        .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      if (changes.length > 0) calm = -1
      await Promise.all(changes.map(({ finished }) => finished.catch(() => undefined)))
    }
  })()`)
}
