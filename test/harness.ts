import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import { startEmbeddedServer } from '../src/db/embedded-server.ts'
import { migrate } from '../src/db/migrate.ts'
import { connect, type Db } from '../src/db/pool.ts'
import { ratesSetup, seedRatesFor } from '../src/reference/rates-setup.ts'
import { seedReference } from '../src/reference/seed.ts'

export type TestServer = {
  /** May create databases. */
  adminUrl: string
  /** The migrated database that those of the tests are copied from. */
  template: string
  stop: () => Promise<void>
}

export type TestDatabase = { url: string; sql: Db; drop: () => Promise<void> }

/** What a test server need not keep through a power cut, it does not write for one. */
export const fastSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '1GB',
  max_connections: '200',
}

// One for all test processes, so that not two of them make the same template.
const templateLock = '120265198104689'
const defaultWaitMs = 5_000
const maxConnections = 10

/** A folder whose path is short and open to the user PostgreSQL runs as. */
export async function tempFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'malipo-'))
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Waits until the condition gives something, and answers with it. */
export async function waitFor<Result>(
  condition: () => Result | Promise<Result>,
  { timeoutMs = defaultWaitMs, everyMs = 10 } = {},
): Promise<NonNullable<Awaited<Result>>> {
  const until = Date.now() + timeoutMs
  for (;;) {
    const result = await condition()
    if (result) return result as NonNullable<Awaited<Result>>
    if (Date.now() > until) throw new Error(`Waited ${timeoutMs} ms in vain for: ${condition}`)
    await delay(everyMs)
  }
}

/**
 * Starts what tests run on: the server of DATABASE_URL, or one in a temporary folder. The run of
 * all tests does this once; a test file that is run alone does it for itself.
 */
export async function startTestServer(): Promise<TestServer> {
  const template = `malipo_test_${Date.now()}_${randomBytes(4).toString('hex')}`
  const given = process.env.DATABASE_URL
  if (given) {
    await ensureTemplate(given, template)
    return { adminUrl: given, template, stop: () => dropDatabase(given, template) }
  }
  const dataDir = await tempFolder()
  const server = await startEmbeddedServer({ dataDir, settings: fastSettings })
  // A process that ends in haste has no time for a stop in good order.
  const abandon = (): void => {
    try {
      process.kill(server.pid, 'SIGQUIT')
    } finally {
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    }
  }
  process.once('exit', abandon)
  const stop = async (): Promise<void> => {
    process.off('exit', abandon)
    await server.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    await ensureTemplate(server.url, template)
  } catch (error) {
    await stop()
    throw error
  }
  return { adminUrl: server.url, template, stop }
}

let own: Promise<TestServer> | undefined

/** The server of this run. */
export async function testServer(): Promise<TestServer> {
  const { MALIPO_TEST_SERVER: adminUrl, MALIPO_TEST_TEMPLATE: template } = process.env
  if (adminUrl && template) return { adminUrl, template, stop: async () => {} }
  own ??= startOwn()
  return await own
}

async function startOwn(): Promise<TestServer> {
  const server = await startTestServer()
  // Nothing of the server keeps the process running, so this comes after the last test.
  process.once('beforeExit', () => void server.stop())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(1)))
  }
  return server
}

/** A fresh, migrated database for one test, dropped when the test has ended. */
export async function testDatabase(t?: TestContext): Promise<TestDatabase> {
  const server = await testServer()
  return await createDatabase(server, server.template, t)
}

/** A fresh database without any table. */
export async function emptyDatabase(t?: TestContext): Promise<TestDatabase> {
  return await createDatabase(await testServer(), 'template0', t)
}

async function createDatabase(
  { adminUrl, template }: TestServer,
  copied: string,
  t: TestContext | undefined,
): Promise<TestDatabase> {
  const name = `${template}_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, async (admin) => {
    // Copied as files it takes a third of the time, but the checkpoint for it must be cheap.
    const [server] = await admin`select current_setting('fsync') = 'off' as fast`
    const strategy = server?.fast ? 'file_copy' : 'wal_log'
    await admin.unsafe(`create database ${name} template ${copied} strategy ${strategy}`)
  })
  const url = urlOf(adminUrl, name)
  const sql = connect(url, { maxConnections })
  let dropped: Promise<void> | undefined
  const drop = (): Promise<void> => {
    dropped ??= sql.end({ timeout: 1 }).then(() => dropDatabase(adminUrl, name))
    return dropped
  }
  t?.after(drop)
  return { url, sql, drop }
}

async function ensureTemplate(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    await admin`select pg_advisory_lock(${templateLock}::bigint)`
    const [existing] = await admin`select from pg_database where datname = ${name}`
    if (existing) return
    await admin.unsafe(`create database ${name} template template0`)
    const sql = connect(urlOf(adminUrl, name), { maxConnections: 1 })
    try {
      await migrate(sql)
      // What every start puts in is put in once, so that tests do not wait for it.
      await seedReference(sql)
      await seedRatesFor(sql, systemClock, ratesSetup(readConfig({})))
    } catch (error) {
      await sql.end()
      await admin.unsafe(`drop database ${name} with (force)`)
      throw error
    }
    await sql.end()
  })
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, (admin) => admin.unsafe(`drop database if exists ${name} with (force)`))
}

/** A connection for one task: one that stays open would keep the process running. */
async function asAdmin<Result>(url: string, task: (admin: Db) => Promise<Result>): Promise<Result> {
  const admin = connect(url, { maxConnections: 1, statementTimeoutMs: 60_000 })
  try {
    return await task(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

function urlOf(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
