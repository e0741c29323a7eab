import { execFile, execFileSync } from 'node:child_process'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A disk of its own for PostgreSQL, so that it can be full without harm to anybody else. */
export type Volume = {
  folder: string
  /** What it is made of; none where this machine lets nobody mount, and the disk cannot be full. */
  kind: 'loop' | 'tmpfs' | 'none'
  fill(): Promise<void>
  free(): Promise<void>
  remove(): Promise<void>
  /** For an end in haste, while somebody may still have files open in it. */
  abandon(): void
}

const loopBytes = 4 * 2 ** 30
const memoryBytes = 2 * 2 ** 30
const mountLimitMs = 20_000

export async function openVolume(base: string): Promise<Volume> {
  const folder = join(base, 'disk')
  await mkdir(folder)
  const kind = await mountAt(base, folder)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    kind,
    async fill() {
      const { bavail, bsize } = await statfs(folder)
      if (bavail > 0) await call('fallocate', '-l', String(bavail * bsize), ballast).catch(() => {})
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      if (kind !== 'none') await call('umount', folder)
    },
    abandon() {
      if (kind !== 'none') execFileSync('umount', ['-l', folder])
    },
  }
}

/** A file as a disk, because its syncs are real; memory where that is not allowed. */
async function mountAt(base: string, folder: string): Promise<Volume['kind']> {
  const image = join(base, 'disk.image')
  try {
    await call('truncate', '-s', String(loopBytes), image)
    await call('mkfs.ext4', '-q', '-m', '0', image)
    await call('mount', '-o', 'loop', image, folder)
    return 'loop'
  } catch {
    await rm(image, { force: true })
  }
  try {
    await call('mount', '-t', 'tmpfs', '-o', `size=${memoryBytes},mode=755`, 'tmpfs', folder)
    return 'tmpfs'
  } catch {
    return 'none'
  }
}

async function call(program: string, ...args: string[]): Promise<void> {
  await run(program, args, { timeout: mountLimitMs })
}
