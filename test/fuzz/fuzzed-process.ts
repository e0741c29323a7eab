import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, type Db } from '../../src/db/pool.ts'
import { shippedRatesFile } from '../../src/reference/seed-rates.ts'
import { createSeal, type Seal } from '../../src/seal.ts'
import { tempFolder, testDatabase } from '../harness.ts'
import { runMalipo } from '../processes.ts'

/** How the process did. */
export type Vitals = {
  /** Over time. */
  rssBytes: number[]
  /** How long it worked without letting anybody else have a turn. */
  busyP99Ms: number
  busyMaxMs: number
  /** How late the event loop was, also where the machine was busy with something else. */
  delayP99Ms: number
}

/** A service in a process of its own, on a database of its own. */
export type FuzzedService = {
  port: number
  db: Db
  seal: Seal
  /** Begins to measure anew. */
  measure(): void
  vitals(): Vitals
  /** Lines of its log that tell of a fault. */
  faults(): string[]
  isRunning(): boolean
  /** Ends it in good order, and answers with its exit code. */
  end(): Promise<unknown>
}

const watcher = join(import.meta.dirname, 'watch-process.ts')
const faultLevels = /"level":"(error|fatal)"/
/** A machine that is too busy to open a connection in time says nothing about the service. */
const isBusyMachine = (line: string) => line.includes('due to connection timeout')

export async function startService(): Promise<FuzzedService> {
  const folder = await tempFolder()
  const database = await testDatabase()
  const masterKey = randomBytes(32)
  const watch = join(folder, 'vitals')
  const log = join(folder, 'malipo.log')
  const run = runMalipo({
    env: {
      ...{ DATABASE_URL: database.url, MALIPO_DATA_DIR: folder, MALIPO_LOG: log },
      ...{ MALIPO_MASTER_KEY: masterKey.toString('base64'), LOG_LEVEL: 'warn' },
      ...{ MALIPO_RATE_LIMIT: '0', MALIPO_TOKEN_RATE_LIMIT: '0', HOST: '127.0.0.1' },
      // Rates that are not those we ship, so that live money is converted too.
      MALIPO_RATES_FILE: await copiedRates(folder),
      ...{ NODE_OPTIONS: `--import=${pathToFileURL(watcher)}`, MALIPO_TEST_WATCH: watch },
    },
  })
  const db = connect(database.url, { maxConnections: 3 })
  const end = async () => {
    run.child.kill('SIGTERM')
    const code = await run.ended()
    await db.end({ timeout: 1 })
    await database.drop()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    return code
  }
  try {
    const url = await run.ready()
    const isRunning = () => run.child.exitCode === null && run.child.signalCode === null
    const faults = () =>
      linesOf(log).filter((line) => faultLevels.test(line) && !isBusyMachine(line))
    return {
      ...{ port: Number(new URL(url).port), db, seal: createSeal([masterKey]) },
      measure: () => void run.child.kill('SIGUSR2'),
      ...{ isRunning, faults, end, vitals: () => vitalsIn(watch) },
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function copiedRates(folder: string): Promise<string> {
  const copy = join(folder, 'rates.csv')
  await copyFile(shippedRatesFile, copy)
  return copy
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

function vitalsIn(file: string): Vitals {
  const seen = linesOf(file).map((line) => JSON.parse(line))
  return { ...seen.at(-1), rssBytes: seen.map(({ rssBytes }) => rssBytes) }
}
