import { chown, realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { makeDataFolder, type RunAs } from './run-as.ts'

/** What is not archived when the disk is lost is lost: no more than the work of this time. */
const archiveEvery = '5min'

/** Makes PostgreSQL keep a copy of its log: each file is whole before it gets its name. */
export async function archiveSettings(
  folder: string | undefined,
  user: RunAs | undefined,
): Promise<Record<string, string>> {
  if (folder === undefined) return {}
  await makeDataFolder(resolve(folder))
  const place = await realpath(folder)
  const { uid } = await stat(place)
  if (user !== undefined && uid === 0) await chown(place, user.uid, user.gid)
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    archive_timeout: archiveEvery,
    'basic_archive.archive_directory': place,
  }
}
