import { eachRow } from '../db/pages.ts'
import type { Sql } from '../db/pool.ts'
import { csvLine } from './csv.ts'
import { type ListName, lists } from './lists.ts'

type Exported = { key: string } & Record<string, string | null>

/** The lines of a file that an import would take; or each as an object of JSON. */
export async function* exportList(
  sql: Sql,
  list: ListName,
  format: 'csv' | 'json' = 'csv',
): AsyncGenerator<string> {
  const columns = Object.keys(lists[list].columns)
  if (format === 'csv') yield csvLine(columns)
  const rows = eachRow(
    (after: string | undefined, limit) => page(sql, list, after ?? '', limit),
    ({ key }) => key,
  )
  for await (const { key: _, ...row } of rows) {
    yield format === 'json'
      ? JSON.stringify(row)
      : csvLine(columns.map((column) => row[column] ?? ''))
  }
}

/** The key is text that sorts as the rows do. */
function page(sql: Sql, list: ListName, after: string, limit: number): Promise<Exported[]> {
  return sql<Exported[]>`
    select * from (${sql.unsafe(rowsOf[list])}) as listed
    where key collate "C" > ${after} order by key collate "C" limit ${limit}`
}

const rowsOf: Readonly<Record<ListName, string>> = {
  countries: 'select iso2 as key, * from countries',
  operators: `select country || ' ' || id as key, country, id, name, wallet, currency,
    array_to_string(prefixes, ' ') as prefixes from operators`,
  banks: `select lpad(id::text, 9, '0') as key, id::text, country, code, name, swift_code
    from banks`,
  branches: `select lpad(h.id::text, 9, '0') as key, h.id::text, b.country, b.code as bank_code,
    h.code as branch_code, h.name as branch_name, h.swift_code, h.bic
    from branches h join banks b on b.id = h.bank_id`,
}
