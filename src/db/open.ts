import type { Config } from '../config.ts'
import { type ExitInfo, findEmbeddedServer, startEmbeddedServer } from './embedded-server.ts'
import { isConnectionFault } from './faults.ts'
import { connect, type Db } from './pool.ts'

export type OpenDatabase = {
  db: Db
  /** Ends the connections, and the own server where this process started it. */
  close(): Promise<void>
}

export type OpenOptions = {
  applicationName: string
  maxConnections: number
  onProgress?: (sentence: string) => void
  onServerExit?: (info: ExitInfo) => void
  /** Goes on with an own server that another process is running, as commands beside it do. */
  beside?: boolean
}

/** The database of the configuration: the one it names, or the own one in the data folder. */
export async function openDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl !== undefined) {
    const db = connect(databaseUrl, options)
    await assertReachable(db, databaseUrl)
    return { db, close: () => endPool(db) }
  }
  const running = options.beside ? await findEmbeddedServer(dataDir) : undefined
  if (running !== undefined) {
    const db = connect(running, options)
    return { db, close: () => endPool(db) }
  }
  const server = await startEmbeddedServer({
    dataDir,
    archiveDir: config.walArchiveDir,
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    ...(options.onServerExit ? { onExit: options.onServerExit } : {}),
  })
  const db = connect(server.url, options)
  return {
    db,
    async close() {
      await endPool(db)
      await server.stop()
    },
  }
}

const poolEndSeconds = 5

function endPool(db: Db): Promise<void> {
  return db.end({ timeout: poolEndSeconds })
}

async function assertReachable(db: Db, databaseUrl: string): Promise<void> {
  try {
    await db`select 1`
  } catch (error) {
    await endPool(db)
    const { host, pathname } = new URL(databaseUrl)
    const reason = error instanceof Error ? error.message : String(error)
    const hint = isConnectionFault(error) ? 'Is it running, and reachable from here?' : ''
    const what = `The database ${pathname.slice(1)} at ${host} (DATABASE_URL) cannot be used`
    throw new Error(`${what}: ${reason}. ${hint}`.trim(), { cause: error })
  }
}
