import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { claim, type Ownership } from './ownership.ts'
import {
  clearStalePidFile,
  isAlive,
  livePostmaster,
  type Postmaster,
  processEnvironment,
  stopPostmaster,
} from './processes.ts'
import type { RunAs } from './run-as.ts'

/** Where a cluster is and how to run it. */
export type Place = {
  dataDir: string
  cluster: string
  logFile: string
  password: string
  binaries: Binaries
  user: RunAs | undefined
  settings: Record<string, string>
  onProgress: (sentence: string) => void
  signal: AbortSignal
}

export type Running = { pid: number; port: number; adopted: boolean; ownership: Ownership }

/** Somebody else has the folder: waiting or trying again would not help. */
export class FolderTaken extends Error {
  override name = 'FolderTaken'
}

const pollMs = 40
// The processes of a killed postmaster need a moment to notice and to leave.
const settleMs = 10_000
const settlePauseMs = 200
// A lock whose holder was just killed is freed when PostgreSQL sees the connection end.
const takenMs = 1_500
const silentMs = 60_000
const recoveryMs = 600_000
const progressAfterMs = 2_000
const maxLogBytes = 20 * 1024 * 1024
const tailBytes = 16 * 1024
const tailLines = 12

const defaults: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  // Payments change three times in a second or two: what they leave behind is soon in the way.
  autovacuum_naptime: '10s',
  // All that is asked goes by an index. Samples as large as usual take seconds of a core a minute.
  default_statistics_target: '20',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_lock_waits: 'on',
}

/** Joins the server that runs on this cluster already, or starts one. */
export async function bringUp(place: Place, fixedPort?: number): Promise<Running> {
  const settledBy = Date.now() + settleMs
  for (;;) {
    const live = await livePostmaster(place.cluster)
    if (live !== undefined) {
      const joined = await join(place, live)
      if (joined !== undefined) return joined
      continue
    }
    const launched = await launch(place, fixedPort ?? (await freePort()))
    if ('ownership' in launched) return launched
    if (!isPassing(launched.log) || Date.now() > settledBy) {
      throw new Error(`PostgreSQL did not start in ${place.cluster}. It said:\n${launched.log}`)
    }
    await delay(settlePauseMs, undefined, { signal: place.signal })
  }
}

/** Faults of a start that go away by themselves, or with another port. */
function isPassing(log: string): boolean {
  return /pre-existing shared memory block|lock file .* already exists|Address already in use/.test(
    log,
  )
}

async function join(place: Place, live: Postmaster): Promise<Running | undefined> {
  const ownership = await awaitClaim(place, live, () => isAlive(live.pid))
  return ownership && { ...live, adopted: true, ownership }
}

async function launch(place: Place, port: number): Promise<Running | { log: string }> {
  await clearStalePidFile(place.cluster)
  const log = await openLog(place)
  try {
    const { size } = await log.stat()
    const child = await spawnPostgres(place, port, log)
    const pid = child.pid as number
    const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
    try {
      const ownership = await awaitClaim(place, { pid, port }, isRunning)
      if (ownership !== undefined) return { pid, port, adopted: false, ownership }
      return { log: await tail(place.logFile, size) }
    } catch (error) {
      // Where another start took the lock first, the server we started is now its server.
      if (!(error instanceof FolderTaken)) await stopPostmaster(pid, place.binaries.pgCtl)
      throw error
    }
  } finally {
    await log.close()
  }
}

async function spawnPostgres(place: Place, port: number, log: FileHandle): Promise<ChildProcess> {
  const settings = { ...defaults, ...place.settings, port: String(port) }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(place.binaries.postgres, ['-D', place.cluster, ...args], {
    ...place.user,
    cwd: place.dataDir,
    env: processEnvironment,
    stdio: ['ignore', log.fd, log.fd],
    // In a group of its own: Ctrl-C must reach us first, so that we can finish our work with it.
    detached: true,
    windowsHide: true,
  })
  await once(child, 'spawn')
  child.unref()
  return child
}

/** Waits until the server accepts us and its lock is ours; none when the server has ended. */
async function awaitClaim(
  place: Place,
  server: Postmaster,
  isRunning: () => boolean,
): Promise<Ownership | undefined> {
  const { cluster, password } = place
  const began = Date.now()
  let takenSince: number | undefined
  let told = false
  while (isRunning()) {
    place.signal.throwIfAborted()
    const result = await claim({ port: server.port, password, cluster })
    if (result.kind === 'owned') return result.ownership
    const waitedMs = Date.now() - began
    if (result.kind === 'taken') {
      takenSince ??= Date.now()
      if (Date.now() - takenSince > takenMs) throw taken(place)
    } else if (waitedMs > (result.busy ? recoveryMs : silentMs)) {
      throw new Error(`PostgreSQL (process ${server.pid}) in ${cluster} does not answer.`)
    } else if (result.busy && !told && waitedMs > progressAfterMs) {
      told = true
      place.onProgress('Waiting for PostgreSQL: it may be recovering from a crash.')
    }
    await delay(pollMs)
  }
  return undefined
}

function taken(place: Place): FolderTaken {
  return new FolderTaken(
    `Another Malipo is running on the folder ${place.dataDir}. ` +
      'Stop it first, or set MALIPO_DATA_DIR to another folder.',
  )
}

async function openLog(place: Place): Promise<FileHandle> {
  const { size } = await stat(place.logFile).catch(() => ({ size: 0 }))
  if (size > maxLogBytes) await rename(place.logFile, `${place.logFile}.old`)
  const log = await open(place.logFile, 'a', 0o600)
  if (place.user !== undefined) await log.chown(place.user.uid, place.user.gid)
  return log
}

async function tail(path: string, from: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, start)
    const lines = buffer.subarray(0, bytesRead).toString('utf8').trim().split('\n')
    return lines.slice(-tailLines).join('\n')
  } finally {
    await file.close()
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
