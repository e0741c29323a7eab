import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/people/person.ts'
import type { Visit, VisitOptions } from './visit.ts'
import type { DashboardWorld, Person } from './world.ts'

export type Open = (who: Role | Person | 'nobody', options?: VisitOptions) => Promise<Visit>

const shownLength = 2000

/**
 * Tests that look at pages. None may end with a window that complained: an error on the console, a
 * breach of the content security policy, a request to another host.
 */
export function pageTests(world: DashboardWorld) {
  return (title: string, run: (open: Open, t: TestContext) => Promise<void>): void => {
    void test(title, async (t) => {
      const visits: Visit[] = []
      const open: Open = async (who, options) => {
        const visit = await world.visit(who, options)
        visits.push(visit)
        return visit
      }
      try {
        await run(open, t)
        for (const visit of visits) assert.deepEqual(visit.complaints(), [])
      } catch (error) {
        for (const { page, complaints } of visits) {
          const text = await page.locator('body').innerText({ timeout: 1000 }).catch(String)
          t.diagnostic([page.url(), ...complaints(), text.slice(0, shownLength)].join('\n'))
        }
        throw error
      } finally {
        for (const visit of visits) await visit.close()
      }
    })
  }
}
