import { csvRow } from '../csv.ts'
import type { Sql } from '../db/pool.ts'
import type { Owner } from '../ledger/wallets.ts'
import { showRow } from './row.ts'
import { maxExportPage, type SearchFilter, searchTransactions } from './search.ts'

const columns = [
  ...['id', 'reference', 'kind', 'status', 'method', 'rail', 'country', 'destination'],
  ...['amount', 'currency', 'walletAmount', 'walletCurrency', 'fee', 'accountName'],
  ...['accountNumber', 'failureReason', 'createdAt', 'updatedAt'],
] as const satisfies readonly (keyof ReturnType<typeof showRow>)[]

/** Page by page, as fast as it is read: no more than one page is ever in memory. */
export async function* exportTransactions(
  sql: Sql,
  owner: Owner,
  filter: Omit<SearchFilter, 'after' | 'limit'>,
): AsyncGenerator<string> {
  yield csvRow(columns)
  let after: string | undefined
  do {
    const page = await searchTransactions(sql, owner, { ...filter, after, limit: maxExportPage })
    const shown = page.rows.map(showRow)
    if (shown.length > 0)
      yield shown.map((row) => csvRow(columns.map((name) => row[name]))).join('')
    after = page.next ?? undefined
  } while (after !== undefined)
}
