import { chmod, chown, copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunAs } from './run-as.ts'

export type CopyOptions = {
  /** By the path inside the folder. What it refuses is left out. */
  takes?: (path: string) => boolean
  /** Who is to own the copy. */
  user?: RunAs | undefined
}

/** Copies a folder whose files come and go meanwhile, and waits until the copy is on the disk. */
export async function copyFolder(
  from: string,
  to: string,
  { takes = () => true, user }: CopyOptions = {},
): Promise<number> {
  let bytes = 0
  const copy = async (path: string): Promise<void> => {
    await mkdir(join(to, path), { mode: 0o700 })
    if (user) await chown(join(to, path), user.uid, user.gid)
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      const inner = join(path, entry.name)
      if (!takes(inner)) continue
      if (entry.isDirectory()) await copy(inner)
      else bytes += await copyDurably(join(from, inner), join(to, inner), user)
    }
  }
  await copy('')
  return bytes
}

/** How many bytes it has; none where the file was removed before it could be read. */
export async function copyDurably(from: string, to: string, user?: RunAs): Promise<number> {
  try {
    await copyFile(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
  await chmod(to, 0o600)
  if (user) await chown(to, user.uid, user.gid)
  const file = await open(to, 'r+')
  try {
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
