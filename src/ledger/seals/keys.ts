import { hkdfSync } from 'node:crypto'
import type { Sql } from '../../db/pool.ts'
import { masterKeyId, type Seal } from '../../seal.ts'

/** What seals are signed with: the current key, and those of earlier master keys to verify. */
export type SealingKeys = {
  current: { id: string; key: Buffer }
  byId(id: string): Buffer | undefined
}

export const sealingKeyPurpose = 'sealing key'
const keyBytes = 32

/**
 * Made from the master key, and kept sealed beside the seals: a master key can then be retired,
 * and what was signed in its time can still be verified.
 */
export async function loadSealingKeys(
  sql: Sql,
  seal: Seal,
  masterKeys: readonly Buffer[],
): Promise<SealingKeys> {
  const made = masterKeys.map((masterKey) => ({
    id: masterKeyId(masterKey).toString('hex'),
    key: Buffer.from(hkdfSync('sha256', masterKey, '', 'ledger and audit seals', keyBytes)),
  }))
  const current = made[0]
  if (current === undefined) throw new Error('sealing needs a master key')
  const stored = await sql<{ id: string; sealed: Buffer }[]>`
    select key_id as id, secret_sealed as sealed from sealing_keys`
  const keys = new Map<string, Buffer>(made.map(({ id, key }) => [id, key]))
  for (const { id, sealed } of stored) {
    if (!keys.has(id)) keys.set(id, seal.open(sealed, sealingKeyPurpose))
  }
  return { current, byId: (id) => keys.get(id) }
}

/** Before the first seal is signed with it. */
export async function keepSealingKey(
  sql: Sql,
  seal: Seal,
  { current }: SealingKeys,
): Promise<void> {
  await sql`
    insert into sealing_keys (key_id, secret_sealed)
    values (${current.id}, ${seal.seal(current.key, sealingKeyPurpose)})
    on conflict (key_id) do nothing`
}
