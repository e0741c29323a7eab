import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { migrate } from '../../src/db/migrate.ts'
import type { Db } from '../../src/db/pool.ts'
import type { Keys } from '../app-harness.ts'
import { tempFolder } from '../harness.ts'
import { readParts } from './traffic.ts'

/** The last migration of the release that was recorded. */
export const recordedMigration = 5
/** What its secrets are sealed with. */
export const recordedKey = Buffer.alloc(32, 7).toString('base64')

type Recorded = { keys: Keys } & Record<string, unknown[]>

const migrations = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** A database as the recorded release left it, with its merchant and what that one owns. */
export async function restoreRecorded(db: Db): Promise<Keys> {
  const folder = join(await tempFolder(), 'migrations')
  await mkdir(folder)
  for (const file of await readdir(migrations)) {
    if (Number(file.slice(0, 4)) > recordedMigration) continue
    await copyFile(join(migrations, file), join(folder, file))
  }
  await migrate(db, { dir: pathToFileURL(`${folder}/`) })
  await rm(join(folder, '..'), { recursive: true, force: true })
  const { keys, ...tables } = readParts('data.jsonl') as Recorded
  for (const [table, rows] of Object.entries(tables)) {
    await db`
      insert into ${db.unsafe(table)}
      select * from json_populate_recordset(null::${db.unsafe(table)}, ${db.json(rows)})`
  }
  return keys
}
