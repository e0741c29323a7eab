/**
 * Pictures of every page, light and dark, on a desk and on a phone, with the data of a busy
 * business: `npm run screenshots -- --to <folder>`.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { allPages, doorPages, goAndSettle, type PlacedPage } from './pages.ts'
import { addPlenty } from './plenty.ts'
import { addExamples } from './seed.ts'
import { type Person, startDashboard } from './world.ts'

const { values } = parseArgs({
  options: { to: { type: 'string' }, only: { type: 'string', default: '' } },
})
if (values.to === undefined) {
  console.error('Say where the pictures go: npm run screenshots -- --to <folder>')
  process.exit(2)
}
const folder = resolve(values.to)
const screens = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
}
const schemes = ['light', 'dark'] as const

const endings: (() => Promise<void>)[] = []
const t = { after: (run: () => Promise<void>) => void endings.unshift(run) }
try {
  await mkdir(folder, { recursive: true })
  const world = await startDashboard(t, { MALIPO_WEBHOOK_RETRIES: '1' })
  const examples = await addExamples(world)
  await addPlenty(t, world)
  const owner = await world.person('owner')
  await world.db`update people set name = 'Wanjiru Mwangi' where id = ${owner.personId}`
  const wanted = ({ name }: PlacedPage) => name.includes(values.only)
  const places: [Person | 'nobody', PlacedPage[]][] = [
    ['nobody', doorPages(examples).filter(wanted)],
    [owner, allPages(examples).filter(wanted)],
  ]
  let made = 0
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of schemes) {
      for (const [who, pages] of places) {
        const look = { viewport, colorScheme, reducedMotion: 'reduce' as const }
        const visit = await world.visit(who, look)
        for (const { name, path } of pages) {
          await goAndSettle(visit.page, path)
          await picture(visit.page, `${name.replaceAll(' ', '-')}-${screen}-${colorScheme}.png`)
          made++
        }
        await visit.close()
      }
    }
  }
  console.log(`${made} pictures in ${folder}`)
} finally {
  for (const end of endings) await end()
}

async function picture(page: Page, file: string): Promise<void> {
  // Charts are drawn after their data has come.
  if ((await page.locator('figure').count()) > 0) await page.locator('canvas').first().waitFor()
  // A drawer is as high as the window, so the window is what is shown then.
  const fullPage = (await page.getByRole('dialog').count()) === 0
  await page.screenshot({ path: join(folder, file), fullPage })
}
