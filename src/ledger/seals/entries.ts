import type { Sql, Tx } from '../../db/pool.ts'
import { quoteName } from '../../db/query.ts'
import type { Book } from './book.ts'

/** A row of a book: its place, and all its columns as one text. */
export type Entry = { position: bigint; text: string }

const rowsPerFetch = 2000

/** All columns the table has today, in an order that does not depend on when they were added. */
export async function columnsOf(sql: Sql, book: Book): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${book.table}::regclass and attnum > 0 and not attisdropped
    order by attname collate "C"`
  return rows.map(({ name }) => name)
}

/** Few rows of a large table are looked for, whatever the planner makes of the numbers. */
export async function preferIndexes(tx: Tx): Promise<void> {
  await tx.unsafe('set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0')
}

/**
 * How values are written must not depend on who reads them. The order of rows within a position is
 * found by sorting a few, which the other statements of the service have switched off.
 */
export async function prepareReading(tx: Tx): Promise<void> {
  await preferIndexes(tx)
  await tx.unsafe(`
    set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local bytea_output = 'hex';
    set local intervalstyle = 'postgres'; set local extra_float_digits = 1;
    set local enable_incremental_sort = on; set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`)
}

/**
 * The rows of a range of positions in order, a few thousand at a time. PostgreSQL writes a row as
 * one text in which quoted values cannot be mistaken for the commas and brackets between them.
 */
export async function* readEntries(
  tx: Tx,
  book: Book,
  columns: readonly string[],
  range: { from: bigint; to: bigint },
): AsyncGenerator<Entry> {
  const row = columns.map(quoteName).join(', ')
  const order = ['position', ...book.key].map(quoteName).join(', ')
  await tx.unsafe(`
    declare book_entries no scroll cursor for
    select position, row(${row})::text as text from ${book.table}
    where position >= ${range.from} and position < ${range.to} order by ${order}`)
  try {
    for (;;) {
      const page = (await tx.unsafe(
        `fetch ${rowsPerFetch} from book_entries`,
      )) as unknown as Entry[]
      yield* page
      if (page.length < rowsPerFetch) return
    }
  } finally {
    await tx.unsafe('close book_entries')
  }
}
