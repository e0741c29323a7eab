import { collectDefaultMetrics } from 'prom-client'
import { createBatches } from './batches/batches.ts'
import { createCharges } from './charges/charges.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { followChanges } from './db/changes.ts'
import { groupCommitMeters } from './db/group-commit.ts'
import { checkMasterKey } from './db/master-key-check.ts'
import { migrate } from './db/migrate.ts'
import { type OpenDatabase, openDatabase } from './db/open.ts'
import type { Db } from './db/pool.ts'
import { createLiveEvents } from './http/dashboard/live-events.ts'
import type { Dependencies } from './http/dependencies.ts'
import { listen } from './http/listen.ts'
import { payoutShape } from './http/payout-shape.ts'
import type { Route } from './http/route.ts'
import { routes as allRoutes } from './http/routes/index.ts'
import { createServer } from './http/server.ts'
import { createIds } from './ids.ts'
import { rollUp } from './ledger/rollup.ts'
import { books } from './ledger/seals/book.ts'
import { keepPositionsGrowing } from './ledger/seals/positions.ts'
import { createSealer } from './ledger/seals/sealer.ts'
import { trialBalance } from './ledger/trial-balance.ts'
import { createLog, flushLog, type Log } from './log.ts'
import { readMasterKeys } from './master-key.ts'
import { ensureDemoMerchant } from './merchants/demo.ts'
import { chargeFeesOf } from './merchants/fee-plan.ts'
import { createRequestLog } from './merchants/request-log.ts'
import { createSigningKeys } from './merchants/signing-keys.ts'
import { createTokens } from './merchants/tokens.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createPayouts } from './payouts/payouts.ts'
import { type DemoLogin, ensureDemoPerson } from './people/demo-person.ts'
import { createPeople } from './people/people.ts'
import { createRails } from './rails/index.ts'
import { createRates } from './reference/rates.ts'
import { ratesSetup, seedRatesFor, startRatesRefresh } from './reference/rates-setup.ts'
import { createReference } from './reference/reference.ts'
import { createResolveAccount } from './reference/resolve-account.ts'
import { seedReference } from './reference/seed.ts'
import { readSandboxCredentials, writeSandboxCredentials } from './sandbox-credentials.ts'
import { createSeal, type Seal } from './seal.ts'
import { startActivitySweep } from './transactions/activity.ts'
import { createTransactionReads } from './transactions/reads.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { startBacklogWatch } from './work/backlog.ts'
import { type Loop, startLoop } from './work/loop.ts'
import { startYoungTablesWatch } from './work/young-tables.ts'

export type Role = 'all' | 'api' | 'worker'
export type RunningApp = {
  /** Where callers reach it. */
  url: string
  role: Role
  sandbox: { publicKey: string; apiKey: string; dashboard: DemoLogin } | undefined
  stop(): Promise<void>
}

const rollUpEveryMs = 60_000
const sealEveryMs = 1000
const sandboxCallbacksEveryMs = 250

/** The only wiring: everything is made here and handed to whoever needs it. */
export async function startApp(
  config: Config,
  role: Role,
  onProgress: (sentence: string) => void,
  routes: readonly Route[] = allRoutes,
): Promise<RunningApp> {
  const log = createLog({ level: config.logLevel, to: config.logTo })
  const database = await openDatabase(config, {
    applicationName: `malipo ${role}`,
    maxConnections: config.databaseConnections,
    onProgress,
    onServerExit: ({ message }) => log.error(message),
  })
  try {
    return await startOn(database, { config, role, log, onProgress, routes })
  } catch (error) {
    await database.close()
    throw error
  }
}

type Parts = {
  config: Config
  role: Role
  log: Log
  onProgress: (sentence: string) => void
  routes: readonly Route[]
}

async function startOn({ db, close }: OpenDatabase, parts: Parts): Promise<RunningApp> {
  const { config, role, log, onProgress, routes } = parts
  const address = { base: config.publicUrl ?? `http://localhost:${config.port}` }
  const masterKeys = readMasterKeys(config)
  const seal = createSeal(() => readMasterKeys(config))
  await migrate(db, { onProgress })
  await checkMasterKey(db, seal)
  for (const book of books) await keepPositionsGrowing(db, book)
  const made = await createDomains(db, { config, log, masterKeys, seal, address })
  const { on } = made
  const server = await createServer(on, { operations: role !== 'worker', routes })
  const kept = readSandboxCredentials(config)
  const sandbox = config.demo
    ? {
        ...(await ensureDemoMerchant(db, on.ids, seal, kept)),
        dashboard: await ensureDemoPerson(on.people, kept?.dashboard),
      }
    : undefined
  const port = await listen(server, config)
  address.base = config.publicUrl ?? `http://localhost:${port}`
  const url = address.base
  if (sandbox) writeSandboxCredentials(config, { ...sandbox, baseUrl: url })
  const loops = role === 'api' ? [] : made.startWork()
  log.info({ role, url }, 'started')
  return {
    url,
    role,
    sandbox,
    async stop() {
      log.info('stopping')
      await server.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await made.close()
      await close()
      log.info('stopped')
      await flushLog(log)
    },
  }
}

type Ground = {
  config: Config
  log: Log
  masterKeys: readonly Buffer[]
  seal: Seal
  /** Where callers reach us: the port is known once it is open. */
  address: { base: string }
}

type Made = { on: Dependencies; startWork(): Loop[]; close(): Promise<void> }

async function createDomains(db: Db, ground: Ground): Promise<Made> {
  const { config, log, masterKeys, seal, address } = ground
  const clock = systemClock
  const ids = createIds(clock)
  const metrics = createMetrics()
  collectDefaultMetrics({ register: metrics })
  const changes = await followChanges(db, clock)
  const tokens = createTokens({ db, clock, signingKeys: createSigningKeys(db, seal), changes })
  await seedReference(db)
  const reference = await createReference({ db, changes, log })
  const setup = ratesSetup(config)
  await seedRatesFor(db, clock, setup)
  const { source, fileIsShipped, maxAgeMs } = setup
  const rates = await createRates({
    ...{ db, changes, clock, log, source: source.name, fileIsShipped, maxAgeMs },
  })
  const rails = createRails({ db, clock, masterKey: masterKeys.at(-1)! })
  const { routing } = rails
  const meters = groupCommitMeters(metrics)
  const { groupCommitMaxBatch: maxBatch, groupCommitMaxQueued: maxQueued } = config
  const money = { db, clock, ids, log, routing, reference, rates, maxBatch, maxQueued }
  const payouts = createPayouts({ ...money, meter: meters('payouts') })
  const charges = createCharges({
    ...{ ...money, meter: meters('charges') },
    publicUrl: (path) => address.base + path,
    feeOf: (accountId) => chargeFeesOf(db, accountId),
  })
  const webhooks = createWebhooks({
    ...{ db, clock, ids, log, seal, changes, metrics, settings: config },
    meter: meters('webhook results'),
  })
  const receiveCallback: typeof payouts.receiveCallback = async (rail, message) => {
    await payouts.receiveCallback(rail, message)
    charges.wakeCallbacks()
  }
  const on: Dependencies = {
    ...{ config, clock, ids, log, metrics, db, seal, changes, tokens, reference, rates },
    ...{ payouts, charges, webhooks, sandbox: rails.sandboxBench(receiveCallback) },
    resolveAccount: createResolveAccount({ routing, reference }),
    batches: createBatches({ db, clock, ids, log, payouts, shapeFault: payoutShape() }),
    people: createPeople({ db, clock, ids, seal, changes }),
    requestLog: createRequestLog({ db, clock, ids, log, keptDays: config.requestLogDays }),
    ...{ live: createLiveEvents({ db, clock, log }), reads: createTransactionReads(db) },
  }
  return {
    on,
    startWork: () => [
      ...[startSeals, startBacklog, startYoungTables].map((start) => start(db, ground, metrics)),
      startLoop({ name: 'ledger roll-up', everyMs: rollUpEveryMs, log }, async () => {
        await rollUp(db)
      }),
      startRatesRefresh({ ...setup, db, clock, log }),
      ...payouts.startWork(),
      ...on.batches.startWork(),
      ...charges.startWork(),
      startLoop({ name: 'sandbox callbacks', everyMs: sandboxCallbacksEveryMs, log }, () =>
        rails.sendSandboxCallbacks(receiveCallback),
      ),
      ...webhooks.startWork(),
      ...on.people.startWork(log),
      ...on.requestLog.startWork(),
      startActivitySweep(db, clock, log),
    ],
    async close() {
      await Promise.all([payouts.close(), charges.close(), webhooks.close()])
      await on.requestLog.close()
      await Promise.all([reference.stop(), rates.stop(), changes.stop()])
    },
  }
}

function startSeals(db: Db, { config, log, seal }: Ground, metrics: Metrics): Loop {
  const masterKeys = () => readMasterKeys(config)
  const sealer = createSealer({ db, clock: systemClock, log, seal, metrics, masterKeys })
  return startLoop({ name: 'seals', everyMs: sealEveryMs, log }, sealer.pass)
}

const startYoungTables = (db: Db, { log }: Ground): Loop => startYoungTablesWatch(db, log)

function startBacklog(db: Db, { log }: Ground, metrics: Metrics): Loop {
  const countUnbalanced = async (): Promise<number> =>
    (await trialBalance(db)).filter(({ sum }) => sum !== 0n).length
  return startBacklogWatch({ db, clock: systemClock, log, metrics, countUnbalanced })
}
