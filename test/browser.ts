import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)

const names = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  ...['chrome', 'microsoft-edge'],
]
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
// Nothing is fetched that a test did not ask for.
const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--no-first-run'],
]
const installLimitMs = 5 * 60_000
const startLimitMs = 30_000

/** A browser for tests: the one of the machine, or one that is installed for them. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = (await findBrowser()) ?? (await installBrowser())
  return chromium.launch({ executablePath, args, timeout: startLimitMs })
}

async function findBrowser(): Promise<string | undefined> {
  const given = process.env.CHROMIUM_PATH
  if (given) {
    if (await isExecutable(given)) return given
    throw new Error(`CHROMIUM_PATH names no program that can be run: ${given}`)
  }
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  for (const path of [...candidates, ...places]) if (await isExecutable(path)) return path
  return undefined
}

/** Debian has one in its archive, and where we are root we may take it. */
async function installBrowser(): Promise<string> {
  const isDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  )
  if (isDebian && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const options = { env, timeout: installLimitMs }
    await run('apt-get', ['update'], options)
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
    const found = await findBrowser()
    if (found) return found
  }
  throw new Error(
    'There is no Chromium here. Install one, or name the program in CHROMIUM_PATH: ' +
      'these tests look at pages as a customer does.',
  )
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
