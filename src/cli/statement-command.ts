import { type Command, Option } from 'commander'
import type { Environment } from '../environment.ts'
import { slotOf } from '../ids.ts'
import { isLedgerAccount, isWalletAccount } from '../ledger/accounts.ts'
import { type StatementLine, systemStatement, walletStatement } from '../ledger/statement.ts'
import { walletById } from '../ledger/wallets.ts'
import { formatMinor, textFromMinor } from '../money/amounts.ts'
import { CommandError } from './command-error.ts'
import { csvRow, rowText } from './layout.ts'
import { environmentOption, leaf, requireCurrency } from './options.ts'
import type { Session } from './session.ts'
import type { AnswerOptions, Terminal } from './terminal.ts'

type StatementOptions = AnswerOptions & { csv?: boolean; environment: Environment }
type Statement = { currency: string; lines: AsyncIterable<StatementLine> }

export function addStatementCommand(ledger: Command, terminal: Terminal): void {
  leaf(ledger, 'statement', 'Show every transfer of an account, oldest first')
    .argument('<account>', 'a wallet id, held:<wallet id>, or one like fees:KES, rail:sandbox:KES')
    .addOption(environmentOption().default('sandbox'))
    .addOption(new Option('--csv', 'print CSV, for spreadsheets').conflicts('json'))
    .action((account: string, options: StatementOptions) =>
      terminal.stream((session) => statementText(session, account, options)),
    )
}

async function* statementText(
  session: Session,
  account: string,
  options: StatementOptions,
): AsyncGenerator<string> {
  const { currency, lines } = await findStatement(session, account, options.environment)
  if (options.json) {
    for await (const line of lines) yield jsonLine(line, currency)
  } else if (options.csv) {
    yield csvRow(['posted_at', 'transaction_id', 'step', 'counterpart', 'change', 'balance'])
    for await (const line of lines) yield csvLine(line, currency)
  } else {
    yield* alignedLines(lines, currency)
  }
}

async function findStatement(
  { db }: Session,
  text: string,
  environment: Environment,
): Promise<Statement> {
  const [, held, id = ''] = /^(held:)?(.*)$/.exec(text) ?? []
  const slot = slotOf(id)
  if (slot !== undefined) {
    const wallet = await walletById(db, slot, id)
    if (!wallet) throw new CommandError(`There is no wallet ${id}.`)
    const lines = walletStatement(db, wallet, held ? 'held' : 'wallet')
    return { currency: wallet.currency, lines }
  }
  const colon = text.lastIndexOf(':')
  const account = text.slice(0, colon)
  if (!isLedgerAccount(account) || isWalletAccount(account)) {
    throw new CommandError(
      `"${text}" is not an account: give a wallet id, held:<wallet id>, or one like fees:KES.`,
    )
  }
  const { code: currency } = requireCurrency(text.slice(colon + 1))
  return { currency, lines: systemStatement(db, account, { environment, currency }) }
}

/** Amounts as decimal text: a JSON number could not hold every sum. */
function jsonLine(line: StatementLine, currency: string): string {
  const { postedAt, transactionId, step, counterpart, change, balance } = line
  return JSON.stringify({
    postedAt,
    transactionId,
    step,
    counterpart,
    currency,
    change: textFromMinor(change, currency),
    balance: textFromMinor(balance, currency),
  })
}

function csvLine(line: StatementLine, currency: string): string {
  const { postedAt, transactionId, step, counterpart, change, balance } = line
  const amounts = [textFromMinor(change, currency), textFromMinor(balance, currency)]
  return csvRow([postedAt.toISOString(), transactionId, step, counterpart, ...amounts])
}

const columns = [
  { title: 'POSTED', width: 24 },
  { title: 'TRANSACTION', width: 36 },
  { title: 'STEP', width: 14 },
  { title: 'COUNTERPART', width: 14 },
  { title: 'CHANGE', width: 22, align: 'right' as const },
  { title: 'BALANCE', width: 22, align: 'right' as const },
]
const widths = columns.map(({ width }) => width)

async function* alignedLines(
  lines: AsyncIterable<StatementLine>,
  currency: string,
): AsyncGenerator<string> {
  const titles = columns.map(({ title }) => title)
  let count = 0
  for await (const { postedAt, transactionId, step, counterpart, change, balance } of lines) {
    if (count++ === 0) yield rowText(columns, widths, titles)
    const amounts = [formatMinor(change, currency), formatMinor(balance, currency)]
    const cells = [postedAt.toISOString(), transactionId, step, counterpart, ...amounts]
    yield rowText(columns, widths, cells)
  }
  if (count === 0) yield 'There are no transfers on this account.'
}
