import type { Tx } from '../../db/pool.ts'
import { quoteName } from '../../db/query.ts'
import type { Book } from './book.ts'
import type { Seal } from './chain.ts'

const maxRows = 20

type Range = Pick<Seal, 'fromPosition' | 'toPosition' | 'entries'>

const between = ({ fromPosition, toPosition }: Range): string =>
  `position >= ${fromPosition} and position < ${toPosition}`

/**
 * A broken seal says that its rows are not what they were, not which. But a row that was written
 * again bears the number of the transaction that did it, which is not that of its position. Where
 * a database was restored from a dump, all rows were written again by few transactions; then
 * no distance between the two numbers is that of most rows, and only few can be named.
 */
export async function rewrittenRows(tx: Tx, book: Book, seal: Range): Promise<string[]> {
  const distance = 'position - xmin::text::bigint'
  const [usual] = (await tx.unsafe(`
    select ${distance} as distance, count(*)::float8 as rows,
      (sum(count(*)) over ())::float8 as all
    from ${book.table} where ${between(seal)}
    group by 1 order by 2 desc limit 1`)) as { distance: bigint; rows: number; all: number }[]
  if (usual === undefined) return []
  const isTelling = usual.rows > 1 && usual.rows * 2 > usual.all
  if (!isTelling && usual.all > maxRows) return []
  const key = book.key.map((column) => `${quoteName(column)}::text`).join(`, ' ', `)
  const rows = (await tx.unsafe(`
    select concat(${key}) as key from ${book.table}
    where ${between(seal)} and ${isTelling ? `${distance} <> ${usual.distance}` : 'true'}
    order by 1 limit ${maxRows}`)) as { key: string }[]
  const words = isTelling ? 'was written again' : 'may be the one'
  return rows.map((row) => `${book.noun} ${row.key} ${words}`)
}

/** A wallet counts its transfers, so one that is gone leaves a gap. */
export async function walletGaps(tx: Tx): Promise<string[]> {
  const rows = await tx<{ wallet: string; first: bigint; last: bigint }[]>`
    select wallet_id as wallet, before + 1 as first, seq - 1 as last from (
      select wallet_id, seq,
        coalesce(lag(seq) over (partition by slot, wallet_id order by seq), 0) as before
      from (
        select slot, wallet_id, wallet_seq as seq from transfers where wallet_id is not null
        union all select slot, id, seq + 1 from wallets
      ) counted
    ) chain
    where seq > before + 1 order by 1, 2 limit ${maxRows}`
  return rows.map(({ wallet, first, last }) =>
    first === last
      ? `wallet ${wallet} lacks its transfer ${first}`
      : `wallet ${wallet} lacks its transfers ${first} to ${last}`,
  )
}
