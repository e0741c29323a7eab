import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { migrate } from '../../src/db/migrate.ts'
import { connect, type Db } from '../../src/db/pool.ts'
import { tempFolder, waitFor } from '../harness.ts'
import { countOpen, readBooks } from './books.ts'
import { check } from './check.ts'
import { type Client, createClient } from './client.ts'
import { type ChaosDatabase, startDatabase } from './database.ts'
import { createEndings, type Endings } from './endings.ts'
import { type Injected, injectFaults } from './faults.ts'
import { type Fleet, type Role, startFleet } from './fleet.ts'
import type { Outside } from './invariants.ts'
import { type ChaosMerchant, openMerchants } from './merchants.ts'
import { createRandom, type Random } from './random.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import type { Fault } from './schedule.ts'
import { addOtherChecks } from './second-opinion.ts'
import type { Findings, Violation } from './violation.ts'

export type ChaosOptions = {
  seed: number
  members: Record<Role, number>
  merchants: number
  customers: number
  /** How long a customer waits at most between two requests. */
  pauseMs: number
  /** How long everything may take to settle when the faults are over. */
  settleLimitMs: number
  /** Moves the leases of killed workers to their end, where nobody can wait a minute for it. */
  endsLeases: boolean
  /** Leaves the database and the logs there. */
  keeps: boolean
  schedule: readonly Fault[]
  signal: AbortSignal
  print(line: string): void
}

export type ChaosReport = {
  injected: Injected
  volume: string
  databaseStarts: number
  fleet: Fleet['counts']
  seconds: number
  settleSeconds: number
  requests: Record<string, number>
  statuses: Record<string, number>
  transactions: number
  messages: number
  repeatedMessages: number
  checked: Findings['checked']
  violations: Violation[]
}

/** Everything of a run that has to be ended with it. */
type World = {
  database: ChaosDatabase
  db: Db
  merchants: ChaosMerchant[]
  receiver: Receiver
  fleet: Fleet
  client: Client
  masterKey: string
  funds: Outside['funds']
}

type OnViolation = (violation: Violation) => void

const progressMs = 30_000
const lookEveryMs = 500
const upLimitMs = 180_000
const tellEverySeconds = 10

const serviceSettings = {
  ...{ MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0', LOG_LEVEL: 'warn' },
  ...{ MALIPO_DATABASE_CONNECTIONS: '5', MALIPO_LOOPBACK_WEBHOOKS: 'on' },
  // The lease of a delivery is two such times and five seconds long.
  ...{ MALIPO_WEBHOOK_TIMEOUT_MS: '1000', MALIPO_SHUTDOWN_TIMEOUT_MS: '20000' },
  MALIPO_WEBHOOK_RETRIES: Array(20).fill('2').join(),
}

/** Loads a service of several processes, breaks what can be broken, and compares all books. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const endings = createEndings()
  const violations: Violation[] = []
  const onViolation = (violation: Violation) => {
    const { kind, about } = violation
    // A client that meets the same again and again says so once.
    if (violations.some((known) => known.kind === kind && known.about === about)) return
    violations.push(violation)
    options.print(`  ${kind}: ${about}`)
  }
  try {
    const random = createRandom(options.seed)
    const world = await openWorld(options, random, endings, onViolation)
    const { database, fleet, client, receiver } = world
    const { injected, seconds } = await loadAndBreak(options, world)
    const settleSeconds = await settle(options, world, onViolation)
    const { findings, transactions } = await judge(world)
    await fleet.stop()
    // An interruption also reaches the processes, and is no fault of theirs.
    options.signal.throwIfAborted()
    const { messages } = receiver
    const repeated = messages.length - new Set(messages.map(({ id }) => id)).size
    return {
      ...{ injected, seconds, settleSeconds, transactions, fleet: fleet.counts },
      ...{ volume: database.volume.kind, databaseStarts: database.starts() },
      ...{ requests: client.counts, statuses: client.statuses, checked: findings.checked },
      ...{ messages: messages.length, repeatedMessages: repeated },
      violations: [...violations, ...findings.violations],
    }
  } finally {
    await endings.endAll()
  }
}

async function openFolder({ keeps, print }: ChaosOptions, endings: Endings): Promise<string> {
  const base = await tempFolder()
  // PostgreSQL runs as another user where we are root.
  await chmod(base, 0o755)
  if (keeps) print(`Everything is kept in ${base}.`)
  else {
    const how = { recursive: true, force: true, maxRetries: 5 }
    endings.add(
      () => rm(base, how),
      () => rmSync(base, how),
    )
  }
  return base
}

async function openWorld(
  options: ChaosOptions,
  random: Random,
  endings: Endings,
  onViolation: OnViolation,
): Promise<World> {
  const base = await openFolder(options, endings)
  const database = await startDatabase(base, endings)
  const db = connect(database.url, { maxConnections: 3 })
  endings.add(() => db.end({ timeout: 1 }))
  await migrate(db)
  const receiver = await startReceiver(random.branch())
  endings.add(receiver.close)
  const masterKey = randomBytes(32)
  const merchants = await openMerchants(db, masterKey, options.merchants, receiver.urlOf)
  receiver.secrets.push(...merchants.map(({ webhookSecret }) => webhookSecret))
  const { wallets } = await readBooks(db)
  const funds = new Map(
    wallets.map(({ accountId, currency, available }) => [`${accountId} ${currency}`, available]),
  )
  const env = { ...serviceSettings, MALIPO_MASTER_KEY: masterKey.toString('base64') }
  const { members } = options
  const place = { base, databaseUrl: database.url }
  const fleet = await startFleet({ ...place, members, env, onViolation })
  endings.add(fleet.stop, fleet.abandon)
  const client = createClient({
    ...{ random: random.branch(), merchants, onViolation },
    // One that did not arrive yet, resent by hand, would wait for no other and none for it.
    events: () => receiver.messages.filter(({ isTaken }) => isTaken),
    signal: options.signal,
    urls: fleet.members
      .filter(({ role }) => role === 'api')
      .map(({ toCallers }) => `http://127.0.0.1:${toCallers.port}`),
  })
  const areReady = async () => {
    options.signal.throwIfAborted()
    return (await unreadyOf(fleet)).length === 0
  }
  await waitFor(areReady, { timeoutMs: upLimitMs, everyMs: lookEveryMs })
  const made = { database, db, merchants, receiver, fleet, client, funds }
  return { ...made, masterKey: masterKey.toString('base64') }
}

async function unreadyOf({ members }: Fleet): Promise<string[]> {
  const ready = await Promise.all(members.map((member) => member.isReady()))
  return members.filter((_, index) => !ready[index]).map(({ name }) => name)
}

async function loadAndBreak(options: ChaosOptions, world: World) {
  const { signal, print, customers, pauseMs } = options
  const { client, receiver, fleet } = world
  const startMs = performance.now()
  const seconds = () => Math.floor((performance.now() - startMs) / 1000)
  const loading = client.load(customers, pauseMs)
  const progress = setInterval(() => {
    const { requests } = client.counts
    const { starts } = fleet.counts
    const told = receiver.messages.length
    print(`${seconds()} s: ${requests} requests, ${told} messages, ${starts} process starts`)
  }, progressMs)
  try {
    const injected = await injectFaults(world, options.schedule, signal)
    return { injected, seconds: seconds() }
  } finally {
    clearInterval(progress)
    client.end()
    receiver.calm()
    fleet.calm()
    await loading
  }
}

/** Nobody helps: everything has to come to its end by itself. */
async function settle(
  { settleLimitMs, endsLeases, signal, print }: ChaosOptions,
  { client, db, fleet }: World,
  onViolation: OnViolation,
): Promise<number> {
  const startMs = performance.now()
  const passedMs = () => performance.now() - startMs
  let toldSeconds = -tellEverySeconds
  for (;;) {
    signal.throwIfAborted()
    if (endsLeases) await endLeases(db).catch(() => {})
    const unanswered = await client.catchUp()
    const open = await countOpen(db).catch(() => ({ database: 1 }))
    const unready = await unreadyOf(fleet)
    const left = { ...open, unanswered, unready: unready.length }
    const seconds = Math.ceil(passedMs() / 1000)
    if (Object.values(left).every((count) => count === 0)) return seconds
    if (passedMs() > settleLimitMs) {
      const detail = { left, unready }
      onViolation({ kind: 'it did not settle by itself', about: 'the service', detail })
      return seconds
    }
    if (seconds - toldSeconds >= tellEverySeconds) {
      toldSeconds = seconds
      print(`settling for ${seconds} s: ${JSON.stringify({ ...left, unready })}`)
    }
    await delay(lookEveryMs)
  }
}

/** No rail is waited for longer than ten seconds, so whoever took longer is gone. */
async function endLeases(db: Db): Promise<void> {
  await db`
    update transactions set due_at = now(),
      leased_until = case when leased_until is not null then now() end
    where status = 'pending' and due_at > now() and (state = 'submitting' or leased_until > now())
      and updated_at < now() - interval '11 seconds'`
}

async function judge(world: World): Promise<{ findings: Findings; transactions: number }> {
  const { db, client, merchants, funds, receiver, database, masterKey } = world
  const books = await readBooks(db)
  const accountIds = merchants.map(({ accountId }) => accountId)
  const { messages, forged } = receiver
  const findings = check({ intents: client.intents, accountIds, funds, messages }, books)
  findings.expect('every message is signed', forged.length === 0, 'receiver', () => forged)
  await addOtherChecks(findings, { db, url: database.url, masterKey })
  return { findings, transactions: books.records.length }
}
