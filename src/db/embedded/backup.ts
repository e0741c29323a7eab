import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Db, Sql } from '../pool.ts'
import { copyDurably, copyFolder, syncFolder } from './durable-files.ts'

export type Backup = {
  folder: string
  bytes: number
  /** The earliest time it can be restored to, with the archive: when it was complete. */
  completedAt: Date
}

type Stopped = { label: string; map: string; last: string; at: Date }

/** In the folder of a backup. */
export const clusterName = 'postgres'
/** Files beside the cluster that a start needs. The master key is kept apart on purpose. */
export const besideCluster = ['postgres-password', 'sandbox-credentials.json'] as const

/** Of one running server only, or made anew by the next one. */
const emptied = [
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'],
  ...['pg_stat_tmp', 'pg_subtrans'],
]
const leftOut =
  /^(postmaster\.(pid|opts)|backup_label|tablespace_map|pgsql_tmp.*|pg_internal\.init|t\d+_\d+.*)$/

function isKept(path: string): boolean {
  const names = path.split(sep)
  return !(names.length > 1 && emptied.includes(names[0]!)) && !leftOut.test(names.at(-1)!)
}

/**
 * Copies the cluster while it is at work. PostgreSQL is told of it, keeps the log of all that is
 * written meanwhile, and that log is a part of the backup: it can be restored by itself.
 */
export async function backUpCluster(db: Db, dataDir: string, to: string): Promise<Backup> {
  const folder = resolve(to)
  if (await stat(folder).catch(() => undefined)) {
    throw new Error(`${folder} is there already: name a folder that a backup can make.`)
  }
  const draft = `${folder}.unfinished`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  const lane = await db.reserve()
  try {
    const cluster = await folderOf(lane)
    const slot = `malipo_backup_${process.pid}`
    await lane.unsafe('set statement_timeout = 0')
    await lane`select pg_create_physical_replication_slot(${slot}, true, true)`
    await lane`select pg_backup_start('malipo backup', true)`
    let bytes = await copyFolder(cluster, join(draft, clusterName), {
      takes: isKept,
    })
    const stopped = await stopBackup(lane)
    bytes += await copyLog(cluster, join(draft, clusterName), stopped)
    await lane`select pg_drop_replication_slot(${slot})`
    for (const name of besideCluster) {
      bytes += await copyDurably(join(dataDir, name), join(draft, name))
      bytes += await copyDurably(join(cluster, '..', name), join(draft, name))
    }
    await syncFolder(draft)
    await rename(draft, folder)
    await syncFolder(dirname(folder))
    return { folder, bytes, completedAt: stopped.at }
  } finally {
    await lane.unsafe('reset statement_timeout').catch(() => {})
    lane.release()
    await rm(draft, { recursive: true, force: true })
  }
}

async function folderOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ folder: string }[]>`select current_setting('data_directory') as folder`
  return row!.folder
}

async function stopBackup(lane: Sql): Promise<Stopped> {
  const [row] = await lane<Stopped[]>`
    select labelfile as label, spcmapfile as map, pg_walfile_name(lsn) as last,
      clock_timestamp() as at
    from pg_backup_stop(false)`
  if (row!.map.trim() === '') return row!
  throw new Error('The database has tablespaces, which this backup does not cover.')
}

/** The log from the start to the end of the copy, and the note that tells where it begins. */
async function copyLog(cluster: string, to: string, { label, last }: Stopped): Promise<number> {
  const first = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1]
  if (first === undefined) throw new Error(`PostgreSQL gave no place in its log: ${label}`)
  await writeFile(join(to, 'backup_label'), label, { mode: 0o600, flush: true })
  let bytes = 0
  for (const name of await readdir(join(cluster, 'pg_wal'))) {
    const isPart = /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last
    if (!isPart && !name.endsWith('.history')) continue
    bytes += await copyDurably(join(cluster, 'pg_wal', name), join(to, 'pg_wal', name))
  }
  for (const folder of [join(to, 'pg_wal'), to]) await syncFolder(folder)
  return bytes
}
