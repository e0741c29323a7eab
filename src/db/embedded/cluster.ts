import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { syncFolder } from './durable-files.ts'
import { isAlive, processEnvironment } from './processes.ts'
import type { RunAs } from './run-as.ts'

const run = promisify(execFile)
const freshPrefix = 'postgres.new'
const passwordName = 'postgres-password'
const initLimitMs = 120_000

export const superuser = 'malipo'

export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

export async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, passwordName), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The major version the folder was made by; none where there is no cluster yet. */
async function clusterVersion(cluster: string): Promise<number | undefined> {
  try {
    return Number(await readFile(join(cluster, 'PG_VERSION'), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const entries = await readdir(cluster).catch(() => [])
  if (entries.length === 0) return undefined
  throw new Error(`The folder ${cluster} holds files, but not a PostgreSQL cluster: move it away.`)
}

type NewCluster = {
  dataDir: string
  binaries: Binaries
  user: RunAs | undefined
  durable: boolean
  onProgress: (sentence: string) => void
}

/** Makes the cluster where there is none, and answers with the password of its superuser. */
export async function ensureCluster(wanted: NewCluster): Promise<string> {
  const { dataDir, binaries, user } = wanted
  const cluster = clusterFolder(dataDir)
  await removeLeftovers(dataDir)
  const version = await clusterVersion(cluster)
  if (version === undefined) {
    wanted.onProgress(`Preparing a new PostgreSQL ${binaries.major} database in ${cluster}.`)
    const password = await ensurePassword(dataDir, user)
    await initialise(wanted, cluster)
    return password
  }
  if (version !== binaries.major) {
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${version}, and this program has ` +
        `PostgreSQL ${binaries.major}: bring its data over with pg_dumpall, ` +
        'or set MALIPO_DATA_DIR to another folder.',
    )
  }
  const password = await readPassword(dataDir)
  if (password !== undefined) return password
  throw new Error(`The file ${join(dataDir, passwordName)} is missing: put it back from a backup.`)
}

/** Written to a file of its own and then linked: it is there whole or not at all, and only once. */
async function ensurePassword(dataDir: string, user: RunAs | undefined): Promise<string> {
  const existing = await readPassword(dataDir)
  if (existing !== undefined) return existing
  const draft = join(dataDir, `${passwordName}.new-${process.pid}`)
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`)
    if (user !== undefined) await file.chown(user.uid, user.gid)
    await file.sync()
  } finally {
    await file.close()
  }
  await link(draft, join(dataDir, passwordName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  await syncFolder(dataDir)
  return (await readPassword(dataDir)) as string
}

/**
 * A cluster appears by a rename, so an interrupted start leaves none that is half-made. Of two
 * starts at once the first rename wins, and the other goes on with the winner's.
 */
async function initialise(wanted: NewCluster, cluster: string): Promise<void> {
  const { dataDir, binaries, user } = wanted
  const fresh = join(dataDir, `${freshPrefix}-${process.pid}`)
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  if (user !== undefined) await chown(fresh, user.uid, user.gid)
  const options = { ...user, cwd: dataDir, env: processEnvironment, timeout: initLimitMs }
  // The builtin C.UTF-8 sorts by bytes on every machine, and still knows letters beyond ASCII.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = [`--username=${superuser}`, '--auth=scram-sha-256']
  const secret = `--pwfile=${join(dataDir, passwordName)}`
  const rest = ['--encoding=UTF8', '--no-instructions', ...(wanted.durable ? [] : ['--no-sync'])]
  try {
    await run(binaries.initdb, ['-D', fresh, ...access, secret, ...locale, ...rest], options)
    await rename(fresh, cluster)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true, maxRetries: 3 })
    if ((await clusterVersion(cluster)) !== undefined) return
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
    throw new Error(`The PostgreSQL database could not be prepared in ${dataDir}: ${said}`, {
      cause: error,
    })
  }
  await syncFolder(dataDir)
}

async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(freshPrefix) && !name.startsWith(`${passwordName}.new`)) continue
    const maker = Number(name.split('-').at(-1))
    if (maker > 0 && maker !== process.pid && isAlive(maker)) continue
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 })
  }
}
