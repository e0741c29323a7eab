import { csvRow } from '../csv.ts'
import { eachRow } from '../db/pages.ts'
import type { Sql } from '../db/pool.ts'
import { decimalFromMinor } from '../money/amounts.ts'
import { type BatchKey, columns } from './batch.ts'
import { currencyOf } from './line-request.ts'
import { type BatchLine, listLines } from './lines.ts'

const examples: readonly (readonly string[])[] = [
  [
    ...['salary-2026-01-001', '1500.00', 'KES', 'KE', 'MoMo', 'Amina Otieno', '+254700000000'],
    ...['', '', '', '', ''],
  ],
  [
    ...['invoice-4711', '25000', 'KES', 'KE', 'Bank Account', 'Duka Ltd', '1234567000'],
    ...['68', '', '', '', ''],
  ],
  [
    ...['rent-2026-01', '800', 'KES', 'KE', 'Paybill', 'Nyumba Homes', 'UNIT-12'],
    ...['', '', '400200', '', ''],
  ],
]

/** A file to begin with. Its lines are examples, and each of them could be paid in the sandbox. */
export function templateFile(): string {
  return [columns, ...examples].map(csvRow).join('')
}

/** Every line with what became of it, made while it is read. */
export async function* resultFile(sql: Sql, key: BatchKey): AsyncGenerator<string> {
  yield csvRow(['line', ...columns, 'result', 'transactionId', 'reason'])
  const lines = eachRow(
    (after: number | undefined, limit) => listLines(sql, key, { after, limit }),
    ({ line }) => line,
  )
  for await (const line of lines) yield csvRow(resultCells(line))
}

function resultCells(line: BatchLine): string[] {
  const { cells, errors, failureReason, transactionId } = line
  const known = { ...cells, reference: line.reference, amount: amountText(line) }
  const reason = failureReason ?? errors.map(({ message }) => message).join(' ')
  return [
    String(line.line),
    ...columns.map((column) => known[column] ?? ''),
    ...[line.state, transactionId ?? '', reason],
  ]
}

/** As it is paid, or as the file has it where that is not an amount. */
export function amountText({ amount, cells }: Pick<BatchLine, 'amount' | 'cells'>): string {
  const currency = currencyOf(cells.currency)
  if (amount === null || currency === undefined) return cells.amount ?? ''
  return decimalFromMinor(amount, currency)
}
