import { randomBytes } from 'node:crypto'
import { createBatches } from '../src/batches/batches.ts'
import { createCharges } from '../src/charges/charges.ts'
import { type Clock, systemClock } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import { followChanges } from '../src/db/changes.ts'
import type { Db } from '../src/db/pool.ts'
import { connect } from '../src/db/pool.ts'
import { createLiveEvents } from '../src/http/dashboard/live-events.ts'
import type { Dependencies } from '../src/http/dependencies.ts'
import { payoutShape } from '../src/http/payout-shape.ts'
import { createServer } from '../src/http/server.ts'
import { createIds } from '../src/ids.ts'
import { createLogTo, type Log } from '../src/log.ts'
import { type CreatedMerchant, createMerchant } from '../src/merchants/create-merchant.ts'
import type { NewCredential } from '../src/merchants/credentials.ts'
import { createCredential } from '../src/merchants/credentials.ts'
import { chargeFeesOf } from '../src/merchants/fee-plan.ts'
import { createRequestLog } from '../src/merchants/request-log.ts'
import { createSigningKeys } from '../src/merchants/signing-keys.ts'
import { createTokens } from '../src/merchants/tokens.ts'
import { createMetrics } from '../src/metrics.ts'
import { createPayouts } from '../src/payouts/payouts.ts'
import { createPeople } from '../src/people/people.ts'
import { createRails } from '../src/rails/index.ts'
import type { Routing } from '../src/rails/routing.ts'
import { createRates } from '../src/reference/rates.ts'
import { ratesSetup } from '../src/reference/rates-setup.ts'
import { createReference } from '../src/reference/reference.ts'
import { createResolveAccount } from '../src/reference/resolve-account.ts'
import { createSeal } from '../src/seal.ts'
import { createTransactionReads } from '../src/transactions/reads.ts'
import { createWebhooks, type WebhooksOptions } from '../src/webhooks/webhooks.ts'
import { testDatabase } from './harness.ts'

export type Server = Awaited<ReturnType<typeof createServer>>
export type Request = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  url: string
  headers?: Record<string, string>
  payload?: string
  /** Where the caller seems to be. */
  remoteAddress?: string
}

export type Answer = {
  status: number
  headers: Record<string, string | undefined>
  text: string
  // Tests look into bodies of every shape.
  body: Record<string, unknown>
}

/** One process of the service, as far as callers can tell, on the database of a test. */
export type TestNode = Dependencies & {
  server: Server
  send(request: Request): Promise<Answer>
}

/** A test, or a whole file of tests, with what is to be done when it has ended. */
export type Ending = { after(run: () => Promise<void>): void }

export type NodeOptions = {
  clock?: Clock
  /** Environment variables. */
  settings?: Record<string, string>
  log?: Log
  operations?: boolean
  /** Rails in place of the sandbox of the service. */
  routing?: Routing
  /** How webhooks reach their receivers, in place of the way that refuses private addresses. */
  connector?: WebhooksOptions['connector']
  /** What the server is to work with in place of the real thing. */
  parts?: Partial<Dependencies>
  /** Called before the server takes requests, to give it routes of the test. */
  prepare?: (server: Server) => void
}

/** The same for all nodes of a test process, as it must be for all nodes of a service. */
export const seal = createSeal([randomBytes(32)])
export const silentLog = createLogTo({ write: () => {} }, 'silent')
export const businessPath = '/api/b2b'
export const sandboxPath = '/api/sandbox/b2b'
const maxConnections = 8

export async function startNode(
  t: Ending,
  databaseUrl: string,
  options: NodeOptions = {},
): Promise<TestNode> {
  const clock = options.clock ?? systemClock
  const unlimited = { MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0' }
  const config = readConfig({ DATABASE_URL: databaseUrl, ...unlimited, ...options.settings })
  const db = connect(databaseUrl, { maxConnections })
  const changes = await followChanges(db, clock)
  const tokens = createTokens({ db, clock, signingKeys: createSigningKeys(db, seal), changes })
  const log = options.log ?? silentLog
  const reference = await createReference({ db, changes, log })
  const { source, fileIsShipped, maxAgeMs } = ratesSetup(config)
  const rates = await createRates({
    ...{ db, changes, clock, log, source: source.name, fileIsShipped, maxAgeMs },
  })
  const ids = createIds(clock)
  const rails = createRails({ db, clock, masterKey: Buffer.alloc(32, 7) })
  const routing = options.routing ?? rails.routing
  const payouts = createPayouts({
    ...{ db, clock, ids, log, routing, reference, rates, maxBatch: 256, maxQueued: 10_000 },
  })
  const charges = createCharges({
    ...{ db, clock, ids, log, routing, reference, rates, maxBatch: 256, maxQueued: 10_000 },
    publicUrl: (path) => `http://localhost${path}`,
    feeOf: (accountId) => chargeFeesOf(db, accountId),
  })
  const sandbox = rails.sandboxBench(payouts.receiveCallback)
  const webhooks = createWebhooks({
    ...{ db, clock, ids, log, seal, changes, settings: config, random: () => 0 },
    ...(options.connector ? { connector: options.connector } : {}),
  })
  const on: Dependencies = {
    ...{ config, clock, ids, log, db, seal, changes, tokens, reference, rates, payouts },
    metrics: createMetrics(),
    batches: createBatches({ db, clock, ids, log, payouts, shapeFault: payoutShape() }),
    charges,
    sandbox,
    resolveAccount: createResolveAccount({ routing, reference }),
    webhooks,
    people: createPeople({ db, clock, ids, seal, changes }),
    requestLog: createRequestLog({ db, clock, ids, log, keptDays: config.requestLogDays }),
    live: createLiveEvents({ db, clock, log }),
    reads: createTransactionReads(db),
    ...options.parts,
  }
  const server = await createServer(on, { operations: options.operations ?? true })
  options.prepare?.(server)
  t.after(async () => {
    await server.close()
    await payouts.close()
    await webhooks.close()
    await charges.close()
    await on.requestLog.close()
    await reference.stop()
    await rates.stop()
    await changes.stop()
    await db.end({ timeout: 1 })
  })
  return { ...on, server, send: (request) => inject(server, request) }
}

async function inject(server: Server, request: Request): Promise<Answer> {
  const response = await server.inject(request)
  const text = response.payload
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers as Answer['headers'],
    text,
    body: isJson && text !== '' ? JSON.parse(text) : {},
  }
}

/** A node on a database of its own. */
export async function startLoneNode(t: Ending, options: NodeOptions = {}): Promise<TestNode> {
  const { url, drop } = await testDatabase()
  const node = await startNode(t, url, options)
  t.after(drop)
  return node
}

let made = 0

export async function makeMerchant(db: Db): Promise<CreatedMerchant> {
  made++
  return await createMerchant(db, createIds(systemClock), seal, 'test', {
    name: `Shop ${made}`,
    firstName: 'Wanjiru',
    lastName: `Mwangi ${made}`,
    email: `owner-${made}@shop.example`,
  })
}

export type Keys = { publicKey: string; apiKey: string }

export function keysOf(created: CreatedMerchant['sandbox']): Keys {
  return { publicKey: created.credential.publicKey, apiKey: created.apiKey }
}

/** Another credential of the account. */
export async function makeKeys(
  db: Db,
  { account }: CreatedMerchant['sandbox'],
  request: Partial<NewCredential>,
): Promise<Keys & { id: string }> {
  const wanted = { name: 'another key', ...request }
  const { credential, apiKey } = await createCredential(
    db,
    createIds(systemClock),
    'test',
    account,
    wanted,
  )
  return { id: credential.id, publicKey: credential.publicKey, apiKey }
}

export function exchangeRequest({ publicKey, apiKey }: Keys, prefix = businessPath): Request {
  return {
    method: 'POST',
    url: `${prefix}/auth/generate-bearer-token`,
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify({ publicKey }),
  }
}

export async function tokenFor(node: TestNode, keys: Keys): Promise<string> {
  const { status, text, body } = await node.send(exchangeRequest(keys))
  if (status !== 200) throw new Error(`the exchange was refused: ${text}`)
  return String(body.token)
}

export function getUser(token: string, prefix = businessPath): Request {
  return {
    method: 'GET',
    url: `${prefix}/users`,
    headers: { authorization: `Bearer ${token}` },
  }
}

export function putWebhooks(token: string, body: unknown, prefix = businessPath): Request {
  return {
    method: 'PUT',
    url: `${prefix}/users/webhooks`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  }
}

export const unauthorized = {
  success: false,
  message: 'The access token is missing, invalid, expired or revoked. Request a new one.',
  errorCode: 'UNAUTHORIZED',
}

export const wrongKeys = {
  success: false,
  message: 'The API key or the public key is missing, wrong or no longer valid.',
  errorCode: 'UNAUTHORIZED',
}
