import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from '../../src/db/embedded/binaries.ts'
import { clusterFolder, ensureCluster } from '../../src/db/embedded/cluster.ts'
import { urlOf } from '../../src/db/embedded/ownership.ts'
import {
  clearStalePidFile,
  processEnvironment,
  stopPostmaster,
} from '../../src/db/embedded/processes.ts'
import { chooseUser } from '../../src/db/embedded/run-as.ts'
import { freePort, waitFor } from '../harness.ts'
import type { Endings } from './endings.ts'
import type { Random } from './random.ts'
import { openVolume, type Volume } from './volume.ts'

/** A PostgreSQL that can be killed in every way, and is started again as a supervisor would. */
export type ChaosDatabase = {
  url: string
  port: number
  volume: Volume
  starts(): number
  /** An immediate shutdown or a kill; it comes back after the pause. */
  end(signal: 'SIGQUIT' | 'SIGKILL', pauseMs: number): boolean
  /** Kills one connection's process of the service, which PostgreSQL takes for a crash. */
  killBackend(random: Random): Promise<boolean>
}

const settings = {
  ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC' },
  ...{ max_connections: '120', shared_buffers: '128MB', jit: 'off' },
  // Durable as in earnest. The log of changes is short, so that a full disk is met soon.
  ...{ fsync: 'on', synchronous_commit: 'on', max_wal_size: '128MB', min_wal_size: '32MB' },
}
const restartMs = 250
const startLimitMs = 60_000

export async function startDatabase(base: string, endings: Endings): Promise<ChaosDatabase> {
  const volume = await openVolume(base)
  endings.add(volume.remove, volume.abandon)
  await chmod(volume.folder, 0o755)
  const cluster = clusterFolder(volume.folder)
  const user = await chooseUser(cluster)
  const binaries = await findBinaries(user)
  const made = { dataDir: volume.folder, binaries, user, durable: true, onProgress: () => {} }
  const password = await ensureCluster(made)
  const port = await freePort()
  const access = { port, password, cluster }
  let child: ChildProcess | undefined
  let pauseMs = restartMs
  let starts = 0
  let isStopping = false

  function launch(): ChildProcess {
    const given = { ...settings, port: String(port) }
    const args = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const log = openSync(join(base, 'postgres.log'), 'a')
    starts++
    try {
      return spawn(binaries.postgres, ['-D', cluster, ...args], {
        ...{ ...user, cwd: volume.folder, env: processEnvironment, detached: true },
        stdio: ['ignore', log, log],
      })
    } finally {
      closeSync(log)
    }
  }
  async function keepUp(): Promise<void> {
    while (!isStopping) {
      await clearStalePidFile(cluster)
      child = launch()
      await once(child, 'exit')
      child = undefined
      if (!isStopping) await delay(pauseMs)
      pauseMs = restartMs
    }
  }
  const keeping = keepUp()
  endings.add(
    async () => {
      isStopping = true
      await volume.free()
      if (child?.pid !== undefined) await stopPostmaster(child.pid, binaries.pgCtl)
      await keeping
    },
    () => void child?.kill('SIGQUIT'),
  )
  const url = await createService(access)
  return {
    ...{ url, port, volume },
    starts: () => starts,
    end(signal, forMs) {
      if (child === undefined) return false
      pauseMs = forMs
      return child.kill(signal)
    },
    killBackend: (random) => killBackend(url, random),
  }
}

/** The database of the service, once the server takes connections. */
async function createService(access: Parameters<typeof urlOf>[0]): Promise<string> {
  const admin = urlOf(access, 'postgres')
  const isMade = () => asked(admin, 'create database malipo').then(() => true)
  await waitFor(() => isMade().catch(() => false), { timeoutMs: startLimitMs, everyMs: 100 })
  return urlOf(access)
}

async function killBackend(url: string, random: Random): Promise<boolean> {
  try {
    const { rows } = await asked(
      url,
      `select pid from pg_stat_activity
       where application_name in ('malipo api', 'malipo worker') order by pid`,
    )
    if (rows.length === 0) return false
    process.kill(random.pick(rows).pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

async function asked(url: string, text: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.query<{ pid: number }>(text)
  } finally {
    await client.end().catch(() => {})
  }
}
