import { Readable } from 'node:stream'
import Type from 'typebox'
import { csvRow } from '../../csv.ts'
import { eachRow } from '../../db/pages.ts'
import type { Sql } from '../../db/pool.ts'
import { maxWalletLines } from '../../ledger/wallet-lines.ts'
import type { Wallet } from '../../ledger/wallets.ts'
import type { Access } from '../../merchants/tokens.ts'
import { dashboardRoute, FileAnswer } from './dashboard-route.ts'
import { ownWallet, type StatementLine, statementLines } from './statement-lines.ts'
import { IdParams } from './view-answers.ts'

const columns = [
  ...['seq', 'at', 'transactionId', 'reference', 'step', 'debit', 'credit', 'currency'],
  ...['amount', 'heldChange', 'availableAfter', 'heldAfter'],
] as const satisfies readonly (keyof StatementLine)[]

export const exportStatement = dashboardRoute({
  method: 'GET',
  path: '/wallets/:id/statement.csv',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'exportStatement', summary: 'Save the statement of a wallet, oldest first' },
  input: { params: IdParams },
  output: Type.String(),
  perMinute: 20,
  async handle({ access, params }, { db, clock }) {
    const wallet = await ownWallet(db, access, params.id)
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const name = `statement-${wallet.currency}-${wallet.country}-${day}.csv`
    const lines = Readable.from(fileOf(db, access, wallet))
    return new FileAnswer(name, 'text/csv; charset=utf-8', lines)
  },
})

async function* fileOf(sql: Sql, access: Access, wallet: Wallet): AsyncGenerator<string> {
  yield csvRow(columns)
  const lines = eachRow(
    (after: bigint | undefined, limit) =>
      statementLines(sql, access, wallet, { after, limit, newestFirst: false }),
    ({ seq }) => BigInt(seq),
    maxWalletLines,
  )
  for await (const line of lines) yield csvRow(columns.map((name) => line[name]))
}
