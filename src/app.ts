import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics } from 'prom-client'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { followChanges } from './db/changes.ts'
import { checkMasterKey } from './db/master-key-check.ts'
import { migrate } from './db/migrate.ts'
import { type OpenDatabase, openDatabase } from './db/open.ts'
import { createServer } from './http/server.ts'
import { createIds } from './ids.ts'
import { rollUp } from './ledger/rollup.ts'
import { createLog, flushLog, type Log } from './log.ts'
import { readMasterKeys } from './master-key.ts'
import { ensureDemoMerchant } from './merchants/demo.ts'
import { createSigningKeys } from './merchants/signing-keys.ts'
import { createTokens } from './merchants/tokens.ts'
import { createMetrics } from './metrics.ts'
import { readSandboxCredentials, writeSandboxCredentials } from './sandbox-credentials.ts'
import { createSeal } from './seal.ts'
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
  const seal = createSeal(readMasterKeys(config))
  const metrics = createMetrics()
  collectDefaultMetrics({ register: metrics })
  await migrate(db, { onProgress })
  await checkMasterKey(db, seal)
  const changes = await followChanges(db, clock)
  const signingKeys = createSigningKeys(db, seal)
  const tokens = createTokens({ db, clock, signingKeys, changes })
  const server = await createServer(
    { config, clock, ids, log, metrics, db, changes, tokens },
    { operations: role !== 'worker' },
  )
  const kept = readSandboxCredentials(config)
  const sandbox = config.demo ? await ensureDemoMerchant(db, ids, seal, kept) : undefined
  await server.listen({ port: config.port, host: config.host })
  const { port } = server.addresses()[0] as AddressInfo
  const url = config.publicUrl ?? `http://localhost:${port}`
  if (sandbox) writeSandboxCredentials(config, { baseUrl: url, ...sandbox })
  const loops = role === 'api' ? [] : [rollUps(db, log)]
  log.info({ role, url }, 'started')
  return {
    url,
    role,
    sandbox,
    async stop() {
      log.info('stopping')
      await server.close()
      await Promise.all(loops.map((loop) => loop.stop()))
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
