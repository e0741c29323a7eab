import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, readlink, realpath, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A postmaster, as its own file in the cluster names it. */
export type Postmaster = { pid: number; port: number }

/** All the environment PostgreSQL gets: ours has secrets, and settings that are for its clients. */
export const processEnvironment = { LC_ALL: 'C' }

/** A zombie counts as dead: where nobody collects orphans, it stays for ever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  if (process.platform !== 'linux') return true
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(status.slice(status.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}

async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: Number(lines[3]) } : undefined
}

type Verdict = 'ours' | 'foreign' | 'unknown'

/** Whether a living process is the postmaster of this cluster, or only has the number of one. */
async function judge(pid: number, cluster: string): Promise<Verdict> {
  if (process.platform === 'linux') {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined)
    if (name === undefined) return 'unknown'
    if (!name.startsWith('postgres')) return 'foreign'
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    if (folder === undefined) return 'ours'
    return folder === (await realpath(cluster)) ? 'ours' : 'foreign'
  }
  const [program, args, mark] =
    process.platform === 'win32'
      ? ['tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], 'postgres.exe']
      : ['ps', ['-p', String(pid), '-o', 'command='], cluster]
  const said = await run(program, args).catch(() => undefined)
  if (said === undefined) return 'unknown'
  return said.stdout.includes(mark) ? 'ours' : 'foreign'
}

/** The living postmaster of the cluster. It may still be starting, or already stopping. */
export async function livePostmaster(cluster: string): Promise<Postmaster | undefined> {
  const named = await readPidFile(cluster)
  if (named === undefined || !isAlive(named.pid)) return undefined
  return (await judge(named.pid, cluster)) === 'ours' ? named : undefined
}

/**
 * PostgreSQL removes the file of a dead postmaster itself, but takes a zombie, or a stranger that
 * got the number since, for the living one and refuses to start.
 */
export async function clearStalePidFile(cluster: string): Promise<void> {
  const named = await readPidFile(cluster)
  if (named === undefined) return
  const stranger = isAlive(named.pid) && (await judge(named.pid, cluster)) === 'foreign'
  const again = await readPidFile(cluster)
  const zombie = !isAlive(named.pid) && exists(named.pid)
  if ((stranger || zombie) && again?.pid === named.pid) {
    await unlink(join(cluster, 'postmaster.pid')).catch(() => {})
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const fastStopMs = 60_000
const immediateStopMs = 10_000
const killMs = 5_000

/** Fast shutdown, and firmer where that does not end it in time. */
export async function stopPostmaster(pid: number, pgCtl: string): Promise<void> {
  const steps = [
    ['INT', fastStopMs],
    ['QUIT', immediateStopMs],
    ['KILL', killMs],
  ] as const
  for (const [signal, limitMs] of steps) {
    if (!isAlive(pid)) return
    await sendSignal(pid, signal, pgCtl)
    const until = Date.now() + limitMs
    while (isAlive(pid) && Date.now() < until) await delay(10)
  }
  if (isAlive(pid)) throw new Error(`PostgreSQL (process ${pid}) does not end.`)
}

async function sendSignal(pid: number, signal: string, pgCtl: string): Promise<void> {
  // Windows has no signals: there the program of PostgreSQL sends its own kind.
  if (process.platform === 'win32') {
    await run(pgCtl, ['kill', signal, String(pid)]).catch(() => {})
    return
  }
  try {
    process.kill(pid, `SIG${signal}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
