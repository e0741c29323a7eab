import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { archiveSettings } from './embedded/archive.ts'
import { findBinaries } from './embedded/binaries.ts'
import { clusterFolder, ensureCluster, readPassword } from './embedded/cluster.ts'
import { bringUp, FolderTaken, type Place, type Running } from './embedded/launch.ts'
import { answers, urlOf } from './embedded/ownership.ts'
import { isAlive, livePostmaster, stopPostmaster } from './embedded/processes.ts'
import { chooseUser, makeDataFolder, serverFolder } from './embedded/run-as.ts'

export type ExitInfo = {
  message: string
  /** Whether the server is being started again. If not, it is gone for good. */
  restarting: boolean
}

export type EmbeddedServerOptions = {
  dataDir: string
  onProgress?: (sentence: string) => void
  /** Called when the server ends, or its lock is lost, while nobody asked for that. */
  onExit?: (info: ExitInfo) => void
  /** Settings of PostgreSQL that replace ours. */
  settings?: Record<string, string>
  /** A folder that keeps the whole log of the database, to restore it to any moment. */
  archiveDir?: string | undefined
}

export type EmbeddedServer = {
  url: string
  /** The process now: it changes when the server had to be started again. The url stays. */
  readonly pid: number
  /** Found running, left behind by a service that was killed. */
  adopted: boolean
  stop: () => Promise<void>
}

const maxAttempts = 30
const maxPauseMs = 5_000
// A server that lived for less than this is taken for one that keeps crashing.
const steadyMs = 60_000
// A process that is ending still counts as alive for a moment after its connections are gone.
const endingMs = 50

/** Starts the PostgreSQL of the data folder, or goes on with one that a killed service left. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const abort = new AbortController()
  const place = await prepare(options, abort.signal)
  const running = await bringUp(place)
  if (running.adopted) place.onProgress('Went on with the PostgreSQL that an earlier run left.')
  return supervise(place, running, abort, options.onExit ?? (() => {}))
}

async function prepare(options: EmbeddedServerOptions, signal: AbortSignal): Promise<Place> {
  const onProgress = options.onProgress ?? (() => {})
  await makeDataFolder(resolve(options.dataDir))
  const given = await realpath(options.dataDir)
  const dataDir = await findServerFolder(given)
  if (dataDir !== given) {
    await makeDataFolder(dataDir)
    onProgress(`The database is kept in ${dataDir}, where PostgreSQL may go.`)
  }
  const cluster = clusterFolder(dataDir)
  const user = await chooseUser(cluster)
  const binaries = await findBinaries(user)
  const settings = { ...(await archiveSettings(options.archiveDir, user)), ...options.settings }
  const durable = settings.fsync !== 'off'
  const password = await ensureCluster({ dataDir, binaries, user, durable, onProgress })
  const logFile = join(dataDir, 'postgres.log')
  return { dataDir, cluster, logFile, password, binaries, user, settings, onProgress, signal }
}

async function findServerFolder(dataDir: string): Promise<string> {
  return serverFolder(dataDir, await chooseUser(clusterFolder(dataDir)))
}

/** Keeps the server up and its lock ours until it is stopped. */
function supervise(
  place: Place,
  first: Running,
  abort: AbortController,
  onExit: (info: ExitInfo) => void,
): EmbeddedServer {
  let running = first
  let gone = false
  let healing = Promise.resolve()
  let stopped: Promise<void> | undefined
  let attempts = 0
  let upSince = Date.now()

  const watch = (): void => {
    void running.ownership.lost.then(() => {
      if (!abort.signal.aborted) healing = heal()
    })
  }

  const heal = async (): Promise<void> => {
    await delay(endingMs)
    if (abort.signal.aborted) return
    const ended = !isAlive(running.pid)
    const what = ended ? 'PostgreSQL ended' : 'The connection to PostgreSQL was lost'
    onExit({ message: `${what} unexpectedly. Bringing it back.`, restarting: true })
    if (Date.now() - upSince > steadyMs) attempts = 0
    let reason: unknown
    for (; attempts < maxAttempts; attempts++) {
      try {
        await pause(attempts, abort.signal)
        running = await bringUp(place, first.port)
        attempts++
        upSince = Date.now()
        place.onProgress('PostgreSQL works again.')
        watch()
        return
      } catch (error) {
        reason = error
        if (abort.signal.aborted || error instanceof FolderTaken) break
      }
    }
    if (abort.signal.aborted) return
    gone = true
    const why = reason instanceof Error ? reason.message : 'It ended too many times in a row.'
    onExit({ message: `PostgreSQL could not be brought back. ${why}`, restarting: false })
  }

  const stop = async (): Promise<void> => {
    abort.abort()
    await healing
    if (gone) return
    // The lock is held to the end, so nobody adopts a server that is about to stop.
    const live = await livePostmaster(place.cluster)
    if (live?.pid === running.pid) await stopPostmaster(live.pid, place.binaries.pgCtl)
    await running.ownership.close()
  }

  watch()
  return {
    url: urlOf({ ...place, port: first.port }),
    get pid() {
      return running.pid
    },
    adopted: first.adopted,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

async function pause(attempt: number, signal: AbortSignal): Promise<void> {
  if (attempt === 0) return
  await delay(Math.min(100 * 2 ** attempt, maxPauseMs), undefined, { signal })
}

/** The url of the server that runs on the folder at this moment, started by another process. */
export async function findEmbeddedServer(folder: string): Promise<string | undefined> {
  const given = await realpath(folder).catch(() => undefined)
  if (given === undefined) return undefined
  const dataDir = await findServerFolder(given)
  const cluster = await realpath(clusterFolder(dataDir)).catch(() => undefined)
  if (cluster === undefined) return undefined
  const live = await livePostmaster(cluster)
  const password = live && (await readPassword(dataDir))
  if (!live || password === undefined) return undefined
  const access = { port: live.port, password, cluster }
  return (await answers(access)) ? urlOf(access) : undefined
}
