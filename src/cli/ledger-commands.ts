import type { Command } from 'commander'
import { checkLedger } from '../ledger/check.ts'
import { rollUp } from '../ledger/rollup.ts'
import { type TrialBalance, trialBalance } from '../ledger/trial-balance.ts'
import { formatMinor, textFromMinor } from '../money/amounts.ts'
import { counted, joinBlocks, joinLines, table } from './layout.ts'
import { leaf } from './options.ts'
import type { Session } from './session.ts'
import { addStatementCommand } from './statement-command.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'
import { addVerifyCommand } from './verify-command.ts'

export function addLedgerCommands(program: Command, terminal: Terminal): void {
  const ledger = program.command('ledger').description('Check and read the ledger')

  leaf(ledger, 'check', 'Recompute every balance from the transfers').action(
    (options: AnswerOptions) => terminal.answer(options, check),
  )
  addVerifyCommand(ledger, terminal)
  addStatementCommand(ledger, terminal)
  leaf(ledger, 'balances', 'Show the trial balance').action((options: AnswerOptions) =>
    terminal.answer(options, balances),
  )
  leaf(ledger, 'rollup', 'Sum up the accounts of the house now').action((options: AnswerOptions) =>
    terminal.answer(options, rollup),
  )
}

async function check({ db }: Session): Promise<Answer> {
  const { transfers, wallets, problems } = await checkLedger(db)
  const isRight = problems.length === 0
  return {
    text: joinLines([
      `Checked ${counted(transfers, 'transfer')} and ${counted(wallets, 'wallet')}.`,
      ...(isRight
        ? ['The ledger is right.']
        : [`The ledger has ${counted(problems.length, 'problem')}:`, ...problems.map(bullet)]),
    ]),
    json: { isRight, transfers, wallets, problems },
    exitCode: isRight ? 0 : 1,
  }
}

function bullet(text: string): string {
  return `- ${text}`
}

async function balances({ db }: Session): Promise<Answer> {
  const groups = await trialBalance(db)
  const wrong = groups.filter(({ sum }) => sum !== 0n)
  const verdicts = wrong.map(
    ({ environment, currency, sum }) =>
      `The ${environment} balances sum to ${formatMinor(sum, currency)}, not to zero.`,
  )
  const verdict = wrong.length === 0 ? 'Every currency sums to zero.' : joinLines(verdicts)
  return {
    text: groups.length > 0 ? joinBlocks([balanceTable(groups), verdict]) : 'The ledger is empty.',
    json: groups.map(balanceJson),
    exitCode: wrong.length === 0 ? 0 : 1,
  }
}

function balanceTable(groups: readonly TrialBalance[]): string {
  const rows = groups.flatMap(({ environment, currency, accounts, sum }) =>
    [...accounts, { account: 'sum', balance: sum }].map(({ account, balance }) => [
      environment,
      account,
      formatMinor(balance, currency),
    ]),
  )
  const columns = [
    { title: 'ENVIRONMENT' },
    { title: 'ACCOUNT' },
    { title: 'BALANCE', align: 'right' as const },
  ]
  return table(columns, rows)
}

function balanceJson({ environment, currency, accounts, sum }: TrialBalance) {
  return {
    environment,
    currency,
    accounts: accounts.map(({ account, balance }) => ({
      account,
      balance: textFromMinor(balance, currency),
    })),
    sum: textFromMinor(sum, currency),
  }
}

async function rollup({ db }: Session): Promise<Answer> {
  const { until } = await rollUp(db)
  return {
    text: `Everything posted before ${until.toISOString()} is rolled up.`,
    json: { until },
  }
}
