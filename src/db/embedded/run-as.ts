import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'

/** The user PostgreSQL runs as. It refuses to run as root, so root lends it another. */
export type RunAs = { uid: number; gid: number }

const run = promisify(execFile)
const systemUser = 'postgres'

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Nobody in particular for an ordinary user; for root, the owner of the cluster or `postgres`. */
export async function chooseUser(cluster: string): Promise<RunAs | undefined> {
  if (!isRoot()) return undefined
  const owner = await stat(cluster).catch(() => undefined)
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return (await findSystemUser()) ?? (await addSystemUser())
}

async function findSystemUser(): Promise<RunAs | undefined> {
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', systemUser]),
      run('id', ['-g', systemUser]),
    ])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

async function addSystemUser(): Promise<RunAs> {
  let reason = ''
  try {
    // Exit code 9 says that the group is there already, which is as good.
    await run('groupadd', ['--system', systemUser]).catch((error: { code?: unknown }) => {
      if (error.code !== 9) throw error
    })
    const shell = '/usr/sbin/nologin'
    await run('useradd', [
      '--system',
      '--gid',
      systemUser,
      '--no-create-home',
      '--shell',
      shell,
      systemUser,
    ])
  } catch (error) {
    reason = (error as Error).message.trim()
  }
  const added = await findSystemUser()
  if (added !== undefined) return added
  throw new Error(
    'PostgreSQL does not run as root, and ' +
      `the user "${systemUser}" could not be added (${reason}). ` +
      'Run Malipo as an ordinary user, or set DATABASE_URL.',
  )
}

/** The first folder on the way to a path that the user may not enter. */
export async function blockedFolder(path: string, user: RunAs): Promise<string | undefined> {
  const folders: string[] = []
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (dirname(folder) === folder) break
  }
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder)
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & enter) === 0) return folder
  }
  return undefined
}

/** Makes a folder that, where we are root, PostgreSQL as another user can pass through. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const firstMade = await mkdir(dataDir, { recursive: true, mode: isRoot() ? 0o755 : 0o700 })
  if (!isRoot()) return
  if (firstMade === undefined) {
    const { mode, uid } = await stat(dataDir)
    if (uid === 0 && (mode & 0o001) === 0) await chmod(dataDir, (mode & 0o777) | 0o001)
    return
  }
  // The mode above was cut by the umask, in each folder that was made on the way.
  let folder = firstMade
  await chmod(folder, 0o755)
  for (const name of relative(firstMade, dataDir).split(sep).filter(Boolean)) {
    folder = resolve(folder, name)
    await chmod(folder, 0o755)
  }
}

const elsewhere = '/var/lib/malipo'
const pointer = 'postgres-is-elsewhere'

/**
 * Where the files of PostgreSQL are: in the data folder, unless we are root and the user it runs as
 * may not enter that, as below /root. Then they lie in a folder of their own, which a file in the
 * data folder names: whoever removes the data folder begins anew.
 */
export async function serverFolder(
  dataDir: string,
  user: RunAs | undefined,
  base = elsewhere,
): Promise<string> {
  if (user === undefined || (await blockedFolder(dataDir, user)) === undefined) return dataDir
  const file = join(dataDir, pointer)
  const named = await readFile(file, 'utf8').catch(() => '')
  if (named.trim() !== '') return named.trim()
  const folder = join(base, `data-${randomBytes(8).toString('hex')}`)
  await writeFile(file, `${folder}\n`, { flag: 'wx' })
  return folder
}
