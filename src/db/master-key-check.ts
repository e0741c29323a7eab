import { keyIdOf, type Seal } from '../seal.ts'
import type { Db, Sql } from './pool.ts'

const purpose = 'master key check'
const value = Buffer.from('malipo')

/**
 * The first start leaves a sealed value in the database. A later start that cannot open it has
 * another key, and would fail at every secret it meets: better to say so at once.
 */
export async function checkMasterKey(db: Db, seal: Seal): Promise<void> {
  const sealed = seal.seal(value, purpose).toString('base64')
  await db`
    insert into settings (name, value) values ('master_key_check', ${db.json(sealed)})
    on conflict (name) do nothing`
  const [row] = await db<{ value: string }[]>`
    select value from settings where name = 'master_key_check'`
  try {
    seal.open(Buffer.from(row!.value, 'base64'), purpose)
  } catch {
    throw new Error(
      'The secrets in this database were sealed with another master key. ' +
        'Set MALIPO_MASTER_KEY to the one it was first started with.',
    )
  }
}

/** After a change of the master key: a start without the new one is refused from now on. */
export async function sealCheckAnew(sql: Sql, seal: Seal): Promise<void> {
  const sealed = seal.seal(value, purpose).toString('base64')
  await sql`
    update settings set value = ${sql.json(sealed)}, updated_at = now()
    where name = 'master_key_check'`
}

/** The id of the key that a start must have; none before the first. */
export async function checkedKeyId(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ value: string }[]>`
    select value from settings where name = 'master_key_check'`
  return row && keyIdOf(Buffer.from(row.value, 'base64')).toString('hex')
}
