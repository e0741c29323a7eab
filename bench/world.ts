import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/clock.ts'
import { findEmbeddedServer } from '../src/db/embedded-server.ts'
import { connect, type Db } from '../src/db/pool.ts'
import { createIds } from '../src/ids.ts'
import { postTransfers } from '../src/ledger/post.ts'
import { readMasterKeys } from '../src/master-key.ts'
import type { Account } from '../src/merchants/account.ts'
import { hashApiKey, newWebhookSecret } from '../src/merchants/keys.ts'
import { insertWebhookSecret } from '../src/merchants/webhook-settings.ts'
import { createSeal } from '../src/seal.ts'

/** The service as a process of its own, with the database it started and merchants to load it. */
export type World = {
  url: string
  pid: number
  dataDir: string
  db: Db
  /** One token for each account; each has a KES wallet with plenty. */
  tokens: string[]
  load(plan: Omit<LoadPlan, 'url'>): Promise<LoadResult>
  rssMb(): number
  /** Ends the service; the folder is removed unless it is to be used again. */
  stop(options?: { keep: boolean }): Promise<void>
}

export type LoadPlan = {
  url: string
  connections: number
  seconds: number
  perSecond?: number
  requests: { method: 'GET' | 'POST'; path: string; token: string; body?: string }[]
}
export type LoadResult = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failed: number
  firstFailure: string
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const fundsMinor = 10n ** 14n

export async function startWorld(options: {
  accounts: number
  settings?: Record<string, string>
  role?: 'all' | 'api'
  webhookUrl?: string
}): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-bench-'))
  const child = spawn(process.execPath, [here('server.ts'), options.role ?? 'all'], {
    env: {
      ...process.env,
      ...{ PORT: '0', MALIPO_DATA_DIR: dataDir, MALIPO_DEMO: 'off' },
      ...{ MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0', ...options.settings },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readyUrl(child.stdout)
  const db = connect((await findEmbeddedServer(dataDir))!, { maxConnections: 4 })
  await makeLogFiles(db)
  const keys = await createAccounts(db, options.accounts)
  if (options.webhookUrl) await openEndpoints(db, dataDir, options.webhookUrl)
  const tokens = await exchangeAll(url, keys)
  const plans = { made: 0 }
  return {
    ...{ url, pid: child.pid!, dataDir, db, tokens },
    load: (plan) => runLoad(join(dataDir, `plan-${plans.made++}.json`), { url, ...plan }),
    rssMb: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024,
    async stop({ keep } = { keep: false }) {
      await db.end({ timeout: 2 })
      child.kill('SIGTERM')
      await once(child, 'exit')
      if (!keep) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const logFiles = 32

/**
 * A server that has run for a while uses the files of its log again. A new one makes them, each
 * while everybody waits; that would be measured in place of the work.
 */
export async function makeLogFiles(db: Db): Promise<void> {
  for (let made = 0; made < logFiles; made++) {
    await db.unsafe(`select pg_logical_emit_message(true, 'bench', 'next'), pg_switch_wal()`)
  }
  await db.unsafe('checkpoint')
}

async function readyUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('READY ')) return line.slice('READY '.length)
  }
  throw new Error('the service did not start')
}

async function runLoad(file: string, plan: LoadPlan): Promise<LoadResult> {
  await writeFile(file, JSON.stringify(plan))
  const child = spawn(process.execPath, [here('load.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  await once(child, 'exit')
  const result = JSON.parse(Buffer.concat(chunks).toString('utf8')) as LoadResult
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.firstFailure}`)
  return result
}

type Keys = { publicKey: string; apiKey: string }

/** By plain inserts: a thousand merchants made the ordinary way would take a minute. */
async function createAccounts(db: Db, count: number): Promise<Keys[]> {
  const ids = createIds(systemClock)
  const made = Array.from({ length: count }, (_, index) => {
    const slot = index % 256
    const name = randomBytes(12).toString('base64url')
    const [merchantId, accountId, walletId] = [ids.next(0), ids.next(slot), ids.next(slot)]
    const keys = { publicKey: `pk_sandbox_${name}`, apiKey: `sk_sandbox_${name}` }
    return { slot, merchantId, accountId, walletId, ...keys }
  })
  for (let start = 0; start < count; start += 500) {
    const some = made.slice(start, start + 500)
    const person = { name: 'Bench', first_name: 'Bench', last_name: 'Mark' }
    await db`insert into merchants ${db(
      some.map(({ merchantId: id }) => ({ id, ...person, email: `${id}@malipo.example` })),
    )}`
    await db`insert into accounts ${db(
      some.flatMap(({ accountId, slot, merchantId }) => [
        { id: accountId, slot, merchant_id: merchantId, environment: 'sandbox' },
        { id: ids.next(slot), slot, merchant_id: merchantId, environment: 'live' },
      ]),
    )}`
    await db`insert into wallets ${db(
      some.map(({ accountId, slot, walletId }) => ({
        ...{ slot, id: walletId, account_id: accountId, environment: 'sandbox' },
        ...{ currency: 'KES', country: 'KE' },
      })),
    )}`
    await db`insert into credentials ${db(
      some.map(({ accountId, slot, publicKey, apiKey }) => ({
        ...{ id: ids.next(slot), account_id: accountId, name: 'bench', public_key: publicKey },
        api_key_hash: hashApiKey(apiKey),
        scopes: ['read', 'charges', 'payouts', 'beneficiaries', 'webhooks'],
      })),
    )}`
    await postTransfers(
      db,
      some.map(({ slot, walletId }) => ({
        ...{ slot, transactionId: ids.next(slot), environment: 'sandbox' as const },
        transfers: [
          {
            ...{ step: 'bench funds', debit: 'funding' as const, credit: 'wallet' as const },
            ...{ amount: fundsMinor, currency: 'KES', walletId },
          },
        ],
      })),
    )
  }
  return made
}

/** A URL and a secret for every account. */
async function openEndpoints(db: Db, dataDir: string, url: string): Promise<void> {
  const seal = createSeal(readMasterKeys({ masterKeys: undefined, dataDir }))
  const ids = createIds(systemClock)
  await db`update accounts set webhook_url = ${url}`
  const accounts = await db<Pick<Account, 'id' | 'slot'>[]>`select id, slot from accounts`
  await db.begin(async (tx) => {
    for (const account of accounts) {
      await insertWebhookSecret(tx, ids, seal, account, newWebhookSecret())
    }
  })
}

async function exchangeAll(url: string, keys: readonly Keys[]): Promise<string[]> {
  const tokens: string[] = []
  for (let start = 0; start < keys.length; start += 50) {
    const some = keys.slice(start, start + 50).map(async ({ publicKey, apiKey }) => {
      const response = await fetch(`${url}/api/b2b/auth/generate-bearer-token`, {
        method: 'POST',
        headers: { 'api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ publicKey }),
      })
      return ((await response.json()) as { token: string }).token
    })
    tokens.push(...(await Promise.all(some)))
  }
  return tokens
}
