import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const axeSource = await readFile(axeFile, 'utf8')

type Violation = {
  id: string
  impact: string | null
  help: string
  nodes: { target: string[]; failureSummary?: string }[]
}

const grave = ['serious', 'critical']
const maxShown = 3
/** Nothing is fetched again, and what passes is not told of. */
const cheaply = { resultTypes: ['violations'], preload: false }

/**
 * What axe calls serious or critical on the page as it is, one line each. Colours alone where the
 * rest was looked at already.
 */
export async function graveIssues(page: Page, only?: 'colours'): Promise<string[]> {
  if (!(await page.evaluate('Boolean(window.axe)'))) await page.evaluate(axeSource)
  const options =
    only === 'colours' ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify({ ...options, ...cheaply })})
      .then(({ violations }) => violations)`,
  )) as Violation[]
  return violations
    .filter(({ impact }) => grave.includes(impact ?? ''))
    .map(({ id, help, nodes }) => {
      const places = nodes.slice(0, maxShown).map(({ target, failureSummary = '' }) => {
        const why = failureSummary.split('\n').slice(1, 2).join('').trim()
        return `${target.join(' ')} (${why})`
      })
      return `${id}: ${help}: ${places.join('; ')}`
    })
}
