import { checkedKeyId, sealCheckAnew } from '../db/master-key-check.ts'
import type { Db, Sql } from '../db/pool.ts'
import { quoteName } from '../db/query.ts'
import { transaction } from '../db/transaction.ts'
import { sealingKeyPurpose } from '../ledger/seals/keys.ts'
import { masterKeyId, type Seal } from '../seal.ts'
import { CommandError } from './command-error.ts'

/** What the values of each sealed column are sealed for; without it they cannot be opened. */
export const purposes: Readonly<Record<string, string>> = {
  'signing_keys.secret_sealed': 'token signing key',
  'webhook_secrets.secret_sealed': 'webhook secret',
  'people.totp_sealed': 'totp secret',
  'people.totp_offered_sealed': 'totp secret',
  'sealing_keys.secret_sealed': sealingKeyPurpose,
}

export type SealedColumn = { table: string; column: string }
/** How many values need a key, by its id. */
export type KeyUse = ReadonlyMap<string, number>

const rowsPerBatch = 100

/** From the catalogue, so that none is forgotten that somebody adds later. */
export async function sealedColumns(sql: Sql): Promise<SealedColumn[]> {
  return await sql<SealedColumn[]>`
    select c.relname as table, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.attname like '%\\_sealed' and a.attnum > 0 and not a.attisdropped
    order by 1, 2`
}

export async function keyUse(sql: Sql): Promise<KeyUse> {
  const use = new Map<string, number>()
  const add = (id: string, count: number) => use.set(id, (use.get(id) ?? 0) + count)
  for (const { table, column } of await sealedColumns(sql)) {
    const name = sql.unsafe(quoteName(column))
    const rows = await sql<{ id: string; count: number }[]>`
      select encode(substring(${name} for 4), 'hex') as id, count(*)::float8 as count
      from ${sql.unsafe(quoteName(table))} where ${name} is not null group by 1`
    for (const { id, count } of rows) add(id, count)
  }
  const checked = await checkedKeyId(sql)
  if (checked !== undefined) add(checked, 1)
  return use
}

/** A rotation that would have to leave something out must not begin. */
export async function requireKnownPurposes(sql: Sql): Promise<void> {
  const unknown = (await sealedColumns(sql)).filter((each) => purposeOf(each) === undefined)
  if (unknown.length === 0) return
  const names = unknown.map(({ table, column }) => `${table}.${column}`).join(', ')
  throw new CommandError(`It is not known what ${names} is sealed for: nothing was changed.`)
}

/**
 * Seals everything with the first key that another one has sealed. It may be interrupted at any
 * moment and done again: each batch is a commit, and what is done is passed over.
 */
export async function resealAll(db: Db, seal: Seal, currentKey: Buffer): Promise<number> {
  const columns = await sealedColumns(db)
  // First of all: whoever starts without the new key must learn it before it meets a secret.
  await sealCheckAnew(db, seal)
  let sealed = 0
  for (const column of columns) {
    for (;;) {
      const done = await resealBatch(db, seal, masterKeyId(currentKey), column)
      sealed += done
      if (done < rowsPerBatch) break
    }
  }
  return sealed
}

const purposeOf = ({ table, column }: SealedColumn): string | undefined =>
  purposes[`${table}.${column}`]

function resealBatch(
  db: Db,
  seal: Seal,
  currentId: Buffer,
  sealedColumn: SealedColumn,
): Promise<number> {
  const purpose = purposeOf(sealedColumn)!
  return transaction(db, async (tx) => {
    const table = tx.unsafe(quoteName(sealedColumn.table))
    const column = tx.unsafe(quoteName(sealedColumn.column))
    const rows = await tx<{ place: string; value: Buffer }[]>`
      select ctid::text as place, ${column} as value from ${table}
      where substring(${column} for 4) <> ${currentId}
      limit ${rowsPerBatch} for no key update`
    for (const { place, value } of rows) {
      const anew = seal.seal(seal.open(value, purpose), purpose)
      await tx`update ${table} set ${column} = ${anew} where ctid = ${place}::tid`
    }
    return rows.length
  })
}
