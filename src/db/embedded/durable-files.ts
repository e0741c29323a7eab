import { chmod, chown, copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunAs } from './run-as.ts'

export type CopyOptions = {
  /** By the path inside the folder. What it refuses is left out. */
  takes?: (path: string) => boolean
  /** Who is to own the copy. */
  user?: RunAs | undefined
}

const copiesAtOnce = 8

/** Copies a folder whose files come and go meanwhile, and waits until the copy is on the disk. */
export async function copyFolder(
  from: string,
  to: string,
  { takes = () => true, user }: CopyOptions = {},
): Promise<number> {
  const files: string[] = []
  const folders: string[] = []
  const prepare = async (path: string): Promise<void> => {
    folders.push(path)
    await mkdir(join(to, path), { mode: 0o700 })
    if (user) await chown(join(to, path), user.uid, user.gid)
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      const inner = join(path, entry.name)
      if (!takes(inner)) continue
      if (entry.isDirectory()) await prepare(inner)
      else files.push(inner)
    }
  }
  await prepare('')
  let bytes = 0
  const left = files.values()
  const copySome = async (): Promise<void> => {
    for (const file of left) bytes += await copyDurably(join(from, file), join(to, file), user)
  }
  // Each waits for the disk, which can take many at a time. A fault is told when all have ended:
  // whoever clears up after it must not meet one that still writes.
  const ends = await Promise.allSettled(Array.from({ length: copiesAtOnce }, copySome))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  for (const folder of folders) await syncFolder(join(to, folder))
  return bytes
}

/** Makes the names in a folder last, as a sync of a file does with what is in it. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows has no way to sync a folder.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
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
