import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { type RunningApp, startApp } from '../../src/app.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { connect, type Db } from '../../src/db/pool.ts'
import { createIds, type Ids } from '../../src/ids.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import type { Role } from '../../src/people/person.ts'
import { csrfOf, hashSecret, newSecret } from '../../src/people/secrets.ts'
import { createSeal } from '../../src/seal.ts'
import type { Ending } from '../app-harness.ts'
import { startBrowser } from '../browser.ts'
import { makePerson } from '../dashboard.ts'
import { tempFolder, testDatabase } from '../harness.ts'
import { exchange } from '../processes.ts'
import { newVisit, type Visit, type VisitOptions } from './visit.ts'

/** The whole service with its work in the background, and a browser that looks at it. */
export type DashboardWorld = {
  url: string
  db: Db
  ids: Ids
  /** The first login, as a start prints it. */
  login: { email: string; password: string }
  merchantId: string
  browser: Browser
  /** A new person of the demo merchant, with a session. */
  person(role: Role): Promise<Person>
  /** Somebody of another merchant. */
  stranger(): Promise<Person>
  /** A browser window of a new person with this role, or of nobody. */
  visit(who: Role | Person | 'nobody', options?: VisitOptions): Promise<Visit>
  /** The public API with the sandbox keys of the demo merchant. */
  api<Answer = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer>
}

export type Person = { personId: string; email: string; name: string; role: Role; cookie: string }

const masterKey = randomBytes(32)
const maxConnections = 6
const buildScript = fileURLToPath(new URL('../../web/build.ts', import.meta.url))

/** What the service serves has to be made from the sources as they are now. */
export async function buildDashboard(): Promise<void> {
  await promisify(execFile)(process.execPath, [buildScript])
}

export async function startDashboard(
  t: Ending,
  settings: Record<string, string> = {},
): Promise<DashboardWorld> {
  await buildDashboard()
  const { url: databaseUrl, drop } = await testDatabase()
  const dataDir = await tempFolder()
  const config = readConfig({
    ...{ DATABASE_URL: databaseUrl, PORT: '0', MALIPO_DEMO: 'on', LOG_LEVEL: 'silent' },
    ...{ MALIPO_DATA_DIR: dataDir, MALIPO_MASTER_KEY: masterKey.toString('base64') },
    ...{ MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0', MALIPO_LOOPBACK_WEBHOOKS: 'on' },
    ...settings,
  })
  const app = await startApp(config, 'all', () => {})
  const db = connect(databaseUrl, { maxConnections })
  const browser = await startBrowser()
  t.after(async () => {
    await browser.close()
    await app.stop()
    await db.end({ timeout: 1 })
    await drop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return await worldOn(app, db, browser)
}

async function worldOn(app: RunningApp, db: Db, browser: Browser): Promise<DashboardWorld> {
  const { url } = app
  const { publicKey, apiKey, dashboard } = app.sandbox!
  const ids = createIds(systemClock)
  const { body } = await exchange(url, { publicKey, apiKey })
  const [demo] = await db<{ id: string }[]>`
    select a.merchant_id as id from accounts a
    where a.id = (select (value ->> 'accountId')::uuid from settings where name = 'demo_merchant')`
  const merchantId = demo!.id
  const addPerson = (of: string, role: Role) => newPerson({ db, ids }, of, role)
  const person = (role: Role) => addPerson(merchantId, role)
  return {
    ...{ url, db, ids, merchantId, browser, person },
    login: { email: dashboard.email, password: dashboard.password! },
    async stranger() {
      const owner = {
        name: 'Other',
        firstName: 'Olu',
        lastName: 'Ade',
        email: `${ids.next(0)}@x.co`,
      }
      const other = await createMerchant(db, ids, createSeal([masterKey]), 'test', owner)
      return await addPerson(other.merchant.id, 'owner')
    },
    async visit(who, options) {
      const somebody = typeof who === 'string' && who !== 'nobody' ? await person(who) : who
      const cookie = somebody === 'nobody' ? undefined : (somebody as Person).cookie
      return await newVisit(browser, url, cookie, options)
    },
    async api(method, path, sent) {
      const response = await fetch(`${url}/api/b2b${path}`, {
        method,
        headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      return answer as never
    },
  }
}

async function newPerson(
  on: Pick<DashboardWorld, 'db' | 'ids'>,
  merchantId: string,
  role: Role,
): Promise<Person> {
  const { personId, email } = await makePerson(on, { merchantId, role })
  const cookie = newSecret()
  const [row] = await on.db<{ name: string }[]>`
    with session as (
      insert into sessions (id, person_id, token_hash, ip, user_agent, seen_at, ends_at, created_at)
      values (${on.ids.next(0)}, ${personId}, ${hashSecret(cookie)}, '127.0.0.1', 'test', now(),
        now() + interval '1 day', now()))
    select name from people where id = ${personId}`
  return { personId, email, name: row!.name, role, cookie }
}

/** What the browser's own requests look like, for requests that no page makes. */
export async function requestAs(
  { url }: Pick<DashboardWorld, 'url'>,
  { cookie }: Person,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return await fetch(`${url}/dashboard${path}`, {
    method,
    headers: {
      cookie: `malipo_session=${cookie}`,
      ...(method === 'GET' ? {} : { 'x-csrf-token': csrfOf(cookie) }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
