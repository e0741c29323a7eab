import { appendFile, chown, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { besideCluster, clusterName } from './backup.ts'
import { clusterFolder } from './cluster.ts'
import { copyDurably, copyFolder, syncFolder } from './durable-files.ts'
import { chooseUser, makeDataFolder, type RunAs, serverFolder } from './run-as.ts'

export type RestoreOptions = {
  /** The folder of a backup. */
  from: string
  /** Where the restored data is to be: a folder without a database. */
  dataDir: string
  /** The log that was archived since, to go on from the backup. */
  archive?: string | undefined
  /** Goes on to this moment; without it, to the end of the archive. */
  until?: Date | undefined
}

/** Settings that only the first start after this needs. */
export const recoverySettings = [
  'restore_command',
  'recovery_target_time',
  'recovery_target_action',
  'hot_standby',
]

/** Puts a backup in place. PostgreSQL brings it to the wanted moment when it is started. */
export async function placeBackup(options: RestoreOptions): Promise<string> {
  const from = await backupFolder(options.from)
  const archive = options.archive && (await realpath(options.archive))
  await makeDataFolder(resolve(options.dataDir))
  const given = await realpath(options.dataDir)
  const dataDir = await serverFolder(given, await chooseUser(clusterFolder(given)))
  if (dataDir !== given) await makeDataFolder(dataDir)
  const cluster = clusterFolder(dataDir)
  if (await stat(cluster).catch(() => undefined)) {
    throw new Error(`${cluster} is there already: restore into an empty folder, and change over.`)
  }
  const user = await chooseUser(cluster)
  const draft = join(dataDir, `postgres.new-${process.pid}`)
  await rm(draft, { recursive: true, force: true })
  await copyFolder(join(from, clusterName), draft, { user })
  if (archive !== undefined) await askForRecovery(draft, archive, options.until, user)
  for (const name of besideCluster) {
    const owner = name === 'postgres-password' ? user : undefined
    const target = name === 'postgres-password' ? dataDir : given
    await copyDurably(join(from, name), join(target, name), owner)
  }
  await syncFolder(draft)
  await rename(draft, cluster)
  for (const folder of new Set([dataDir, given])) await syncFolder(folder)
  return cluster
}

async function backupFolder(path: string): Promise<string> {
  const folder = resolve(path)
  const label = join(folder, clusterName, 'backup_label')
  if (await stat(label).catch(() => undefined)) return folder
  throw new Error(`${folder} is not a backup that malipo backup made.`)
}

async function askForRecovery(
  cluster: string,
  archive: string,
  until: Date | undefined,
  user: RunAs | undefined,
): Promise<void> {
  const settings = [
    ['restore_command', restoreCommand(archive)],
    ['recovery_target_action', 'promote'],
    // Nobody may read, or find that nothing can be written, before all is there.
    ['hot_standby', 'off'],
    // PostgreSQL reads this before it knows any name of a zone, even Z.
    ...(until ? [['recovery_target_time', until.toISOString().replace('Z', '+00')]] : []),
  ]
  const lines = settings.map(([name, value]) => `${name} = '${value!.replaceAll("'", "''")}'\n`)
  const flush = true
  await appendFile(join(cluster, 'postgresql.auto.conf'), `\n${lines.join('')}`, { flush })
  const signal = join(cluster, 'recovery.signal')
  await writeFile(signal, '', { mode: 0o600, flush })
  if (user) await chown(signal, user.uid, user.gid)
}

/** PostgreSQL puts the name of a file for %f and the place for it for %p. */
function restoreCommand(archive: string): string {
  const folder = archive.replaceAll('%', '%%')
  return process.platform === 'win32'
    ? `copy "${folder}\\%f" "%p"`
    : `cp '${folder.replaceAll("'", "'\\''")}/%f' '%p'`
}
