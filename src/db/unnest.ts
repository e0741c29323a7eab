import type { Fragment, Sql } from './pool.ts'

/** A column: its SQL type, and where a row has its value. */
export type UnnestColumns<Row> = Readonly<Record<string, readonly [string, (row: Row) => unknown]>>

/** Types whose text needs no quotes in an array: joined here, at a fifth of the driver's cost. */
const plainTypes = new Set('uuid smallint int integer bigint float8 bool boolean'.split(' '))

/**
 * Rows as a table inside a statement, one array for each column: the text stays the same however
 * many rows there are, so the statement stays prepared. `n` numbers the rows.
 */
export function unnest<Row>(
  sql: Sql,
  name: string,
  rows: readonly Row[],
  columns: UnnestColumns<Row>,
): Fragment {
  const arrays = Object.values(columns)
    .map(([type, pick]) => {
      const values = rows.map(pick)
      return sql`${plainTypes.has(type) ? plainArray(values) : values}::${sql.unsafe(type)}[]`
    })
    .reduce((all, one) => sql`${all}, ${one}`)
  const alias = sql.unsafe(`${name}(${Object.keys(columns).join(', ')}, n)`)
  return sql`select * from unnest(${arrays}) with ordinality as ${alias}`
}

function plainArray(values: unknown[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}
