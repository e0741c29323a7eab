import { collectDefaultMetrics } from 'prom-client'
import { createCharges } from './charges/charges.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { followChanges } from './db/changes.ts'
import { groupCommitMeters } from './db/group-commit.ts'
import { checkMasterKey } from './db/master-key-check.ts'
import { migrate } from './db/migrate.ts'
import { type OpenDatabase, openDatabase } from './db/open.ts'
import { listen } from './http/listen.ts'
import { createServer } from './http/server.ts'
import { createIds } from './ids.ts'
import { rollUp } from './ledger/rollup.ts'
import { createLog, flushLog, type Log } from './log.ts'
import { readMasterKeys } from './master-key.ts'
import { ensureDemoMerchant } from './merchants/demo.ts'
import { feeFor, readFeePlan } from './merchants/fee-plan.ts'
import { createSigningKeys } from './merchants/signing-keys.ts'
import { createTokens } from './merchants/tokens.ts'
import { createMetrics } from './metrics.ts'
import { createPayouts } from './payouts/payouts.ts'
import { createRails } from './rails/index.ts'
import { createRates } from './reference/rates.ts'
import { ratesSetup, seedRatesFor, startRatesRefresh } from './reference/rates-setup.ts'
import { createReference } from './reference/reference.ts'
import { createResolveAccount } from './reference/resolve-account.ts'
import { seedReference } from './reference/seed.ts'
import { readSandboxCredentials, writeSandboxCredentials } from './sandbox-credentials.ts'
import { createSeal } from './seal.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { startLoop } from './work/loop.ts'

export type Role = 'all' | 'api' | 'worker'
export type RunningApp = {
  /** Where callers reach it. */
  url: string
  role: Role
  sandbox: { publicKey: string; apiKey: string } | undefined
  stop(): Promise<void>
}

const rollUpEveryMs = 60_000

/** The only wiring: everything is made here and handed to whoever needs it. */
export async function startApp(
  config: Config,
  role: Role,
  onProgress: (sentence: string) => void,
): Promise<RunningApp> {
  const log = createLog({ level: config.logLevel, to: config.logTo })
  const database = await openDatabase(config, {
    applicationName: `malipo ${role}`,
    maxConnections: config.databaseConnections,
    onProgress,
    onServerExit: ({ message }) => log.error(message),
  })
  try {
    return await startOn(database, { config, role, log, onProgress })
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
}

async function startOn({ db, close }: OpenDatabase, parts: Parts): Promise<RunningApp> {
  const { config, role, log, onProgress } = parts
  const clock = systemClock
  const ids = createIds(clock)
  const masterKeys = readMasterKeys(config)
  const seal = createSeal(masterKeys)
  const metrics = createMetrics()
  collectDefaultMetrics({ register: metrics })
  await migrate(db, { onProgress })
  await checkMasterKey(db, seal)
  const changes = await followChanges(db, clock)
  const signingKeys = createSigningKeys(db, seal)
  const tokens = createTokens({ db, clock, signingKeys, changes })
  await seedReference(db)
  const reference = await createReference({ db, changes, log })
  const setup = ratesSetup(config)
  await seedRatesFor(db, clock, setup)
  const { source, maxAgeMs } = setup
  const rates = await createRates({ db, changes, clock, log, source: source.name, maxAgeMs })
  const rails = createRails({ db, clock, masterKey: masterKeys.at(-1)! })
  const meters = groupCommitMeters(metrics)
  const payouts = createPayouts({
    ...{ db, clock, ids, log, routing: rails.routing, reference, rates },
    maxBatch: config.groupCommitMaxBatch,
    maxQueued: config.groupCommitMaxQueued,
    meter: meters('payouts'),
  })
  let baseUrl = config.publicUrl ?? `http://localhost:${config.port}`
  const charges = createCharges({
    ...{ db, clock, ids, log, routing: rails.routing, reference, rates },
    publicUrl: (path) => baseUrl + path,
    feeOf: async (accountId) => {
      const plan = await readFeePlan(db, accountId)
      return (method, currency, minor) => feeFor(plan, { kind: 'charge', method, currency }, minor)
    },
    maxBatch: config.groupCommitMaxBatch,
    maxQueued: config.groupCommitMaxQueued,
    meter: meters('charges'),
  })
  const receiveCallback: typeof payouts.receiveCallback = async (rail, message) => {
    await payouts.receiveCallback(rail, message)
    charges.wakeCallbacks()
  }
  const webhooks = createWebhooks({
    ...{ db, clock, ids, log, seal, changes, metrics, settings: config },
    meter: meters('webhook results'),
  })
  const server = await createServer(
    {
      ...{ config, clock, ids, log, metrics, db, changes, tokens, reference, rates, payouts },
      ...{ charges, sandbox: rails.sandboxBench(receiveCallback), seal, webhooks },
      resolveAccount: createResolveAccount({ routing: rails.routing, reference }),
    },
    { operations: role !== 'worker' },
  )
  const kept = readSandboxCredentials(config)
  const sandbox = config.demo ? await ensureDemoMerchant(db, ids, seal, kept) : undefined
  const port = await listen(server, config)
  baseUrl = config.publicUrl ?? `http://localhost:${port}`
  const url = baseUrl
  if (sandbox) writeSandboxCredentials(config, { ...sandbox, baseUrl: url })
  const loops =
    role === 'api'
      ? []
      : [
          rollUps(db, log),
          startRatesRefresh({ ...setup, db, clock, log }),
          ...payouts.startWork(),
          ...charges.startWork(),
          rails.startSandbox(receiveCallback, log),
          ...webhooks.startWork(),
        ]
  log.info({ role, url }, 'started')
  return {
    url,
    role,
    sandbox,
    async stop() {
      log.info('stopping')
      await server.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await payouts.close()
      await charges.close()
      await webhooks.close()
      await reference.stop()
      await rates.stop()
      await changes.stop()
      await close()
      log.info('stopped')
      await flushLog(log)
    },
  }
}

function rollUps(db: OpenDatabase['db'], log: Log) {
  return startLoop({ name: 'ledger roll-up', everyMs: rollUpEveryMs, log }, async () => {
    await rollUp(db)
  })
}
