import type { Seal } from '../seal.ts'
import type { Db } from './pool.ts'

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
