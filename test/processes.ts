import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../src/db/embedded/processes.ts'
import { tempFolder, waitFor } from './harness.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
// Of many starts only the first has to compile, which is most of what a start costs.
const compileCache = join(tmpdir(), 'compile-cache')
const masterKey = randomBytes(32).toString('base64')
const startLimitMs = 60_000
const endLimitMs = 40_000

export type Run = {
  child: ChildProcess
  pid: number
  stdout(): string
  stderr(): string
  /** The address it serves on, once it says that it is ready. */
  ready(): Promise<string>
  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>
}

export type RunOptions = {
  env?: Record<string, string>
  args?: string[]
  /** In a process group of its own, as a shell starts it. */
  detached?: boolean
}

/** Runs `npm start` without npm. What is set for the tests is not set for it. */
export function runMalipo({ env = {}, args = [], detached = false }: RunOptions): Run {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [program, ...args], {
    cwd: tmpdir(),
    env: { PATH, HOME, PORT: '0', NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  })
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text
    })
  }
  const closed = once(child, 'close')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  return {
    child,
    pid: child.pid!,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    async ready() {
      const url = await waitFor(() => isOver() || readyUrl(written.stdout), {
        timeoutMs: startLimitMs,
      })
      if (typeof url === 'string') return url
      throw new Error(`It ended instead of getting ready:\n${written.stdout}${written.stderr}`)
    },
    async ended() {
      await waitFor(isOver, { timeoutMs: endLimitMs })
      await closed
      return child.exitCode ?? child.signalCode!
    },
  }
}

function readyUrl(screen: string): string | undefined {
  if (!screen.includes('Press Ctrl-C to stop.')) return undefined
  return /(http:\/\/localhost:\d+)/.exec(screen)?.[1]
}

/** A data folder of a test: with it end the runs in it, its PostgreSQL, and the folder. */
export type Place = {
  dataDir: string
  start(options?: RunOptions): Run
  /** The process of its PostgreSQL; none while it is not running. */
  postmaster(): number | undefined
}

export async function newPlace(t: TestContext): Promise<Place> {
  const dataDir = await tempFolder()
  const runs: Run[] = []
  const postmaster = () => postmasterOf(dataDir)
  t.after(async () => {
    for (const { child } of runs) child.kill('SIGKILL')
    for (const run of runs) await run.ended()
    const left = postmaster()
    if (left !== undefined) {
      process.kill(left, 'SIGQUIT')
      await waitFor(() => !isAlive(left))
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    dataDir,
    postmaster,
    start(options = {}) {
      const run = runMalipo({ ...options, env: { MALIPO_DATA_DIR: dataDir, ...options.env } })
      runs.push(run)
      return run
    },
  }
}

function postmasterOf(dataDir: string): number | undefined {
  try {
    const pid = Number(
      readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    return pid > 0 && isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

/** A run on a database of its own, killed with the test where it has not ended by then. */
export function startOn(t: TestContext, databaseUrl: string, options: RunOptions = {}): Run {
  const run = runMalipo({
    ...options,
    env: {
      DATABASE_URL: databaseUrl,
      MALIPO_DATABASE_CONNECTIONS: '2',
      MALIPO_MASTER_KEY: masterKey,
      ...options.env,
    },
  })
  t.after(() => void run.child.kill('SIGKILL'))
  return run
}

/** Asks for a token with the keys the screen shows. */
export async function exchange(
  url: string,
  { publicKey, apiKey }: { publicKey: string; apiKey: string },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/api/b2b/auth/generate-bearer-token`, {
    method: 'POST',
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export type CredentialsFile = {
  baseUrl: string
  publicKey: string
  apiKey: string
  webhookSecret: string
  dashboard: { email: string; password: string }
}

export function credentialsIn(dataDir: string): CredentialsFile {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox-credentials.json'), 'utf8'))
}
