import type { Db, Sql, Tx } from '../../db/pool.ts'
import type { Book } from './book.ts'
import { preferIndexes } from './entries.ts'

/** Where the numbers of transactions stand, as positions of a book. */
export type Frontier = {
  /** What is added to the number of a transaction; more than 0 after a move to a new server. */
  offset: bigint
  /** Below it every transaction is over: what is there now is all there will ever be. */
  finished: bigint
}

type Row = { expression: string; oldest: bigint }

export async function readFrontier(sql: Sql, book: Book): Promise<Frontier> {
  const [row] = await sql<Row[]>`
    select pg_get_expr(d.adbin, d.adrelid) as expression,
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = ${book.table}::regclass and a.attname = 'position'`
  if (row === undefined || !row.expression.includes('pg_current_xact_id()')) {
    throw new Error(`${book.table}.position has lost its default: its rows cannot be sealed`)
  }
  const [, digits = '0'] = /\+ '?(\d+)/.exec(row.expression) ?? []
  const offset = BigInt(digits)
  return { offset, finished: row.oldest + offset }
}

/**
 * A server that was restored from a dump counts its transactions from the start, below what is
 * sealed already. From then on an offset is added, so that positions go on growing. It must be
 * done before the first row is written there. Answers with the new offset where one was needed.
 */
export async function keepPositionsGrowing(db: Db, book: Book): Promise<bigint | undefined> {
  if (!(await db.begin((tx) => isBehind(tx, book)))) return undefined
  return await db.begin(async (tx) => {
    await tx.unsafe(`lock table ${book.table} in access exclusive mode`)
    if (!(await isBehind(tx, book))) return undefined
    const { offset, finished } = await readFrontier(tx, book)
    const beyond = (await highest(tx, book)) + 1n
    const grown = beyond - (finished - offset)
    await tx.unsafe(`
      alter table ${book.table} alter column position
      set default pg_current_xact_id()::text::bigint + ${grown}`)
    return grown
  })
}

/**
 * Whether anything is written or sealed at a position that this server has not come to. What is
 * there and how far the server has come are read in one snapshot, so nobody who writes meanwhile
 * raises a false alarm.
 */
async function isBehind(tx: Tx, book: Book): Promise<boolean> {
  await preferIndexes(tx)
  const { offset } = await readFrontier(tx, book)
  const next = tx`pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${offset}::bigint`
  const [row] = await tx<{ isThere: boolean }[]>`
    select exists (select from ${tx.unsafe(book.table)} where position >= ${next})
      or exists (select from ${tx.unsafe(book.seals)} where to_position > ${next}) as "isThere"`
  return row!.isThere
}

async function highest(sql: Sql, book: Book): Promise<bigint> {
  const [row] = await sql<{ position: bigint }[]>`
    select greatest((select max(position) from ${sql.unsafe(book.table)}),
      (select max(to_position) from ${sql.unsafe(book.seals)})) as position`
  return row!.position
}
