import type { Command } from 'commander'
import {
  creditSuspense,
  findSuspense,
  listSuspense,
  type Refusal,
  type Resolved,
  returnSuspense,
  type SuspenseItem,
} from '../charges/resolve-suspense.ts'
import type { Environment } from '../environment.ts'
import { slotOf } from '../ids.ts'
import { formatMinor, textFromMinor } from '../money/amounts.ts'
import { CommandError } from './command-error.ts'
import { fields, joinBlocks, table } from './layout.ts'
import { environmentOption, leaf, merchantOption, requireAccount, walletScope } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type ListOptions = AnswerOptions & { all?: boolean }
type CreditOptions = AnswerOptions & {
  merchant: string
  environment: Environment
  country?: string
}

const maxListed = 500

export function addSuspenseCommands(program: Command, terminal: Terminal): void {
  const suspense = program
    .command('suspense')
    .description('Show money that arrived without a home, and decide about it')

  leaf(suspense, 'list', 'Show what waits for a decision, oldest first')
    .option('--all', 'also what was decided')
    .action((options: ListOptions) =>
      terminal.answer(options, (session) => list(session, options.all ?? false)),
    )

  leaf(suspense, 'show <id>', 'Show one item with its story').action(
    (id: string, options: AnswerOptions) =>
      terminal.answer(options, async ({ db }) => itemAnswer(await requireItem(db, id))),
  )

  leaf(suspense, 'credit <id>', 'Give the money to a wallet of its currency')
    .addOption(merchantOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .option('--country <country>', 'of the wallet; the usual one of the currency if absent')
    .action((id: string, options: CreditOptions) =>
      terminal.answer(options, (session) => credit(session, id, options)),
    )

  leaf(suspense, 'return <id>', 'Book the money back to its rail, once it was sent back').action(
    (id: string, options: AnswerOptions) =>
      terminal.answer(options, async (session) => {
        const { id: known } = await requireItem(session.db, id)
        return resolvedAnswer(await returnSuspense({ ...session, now: new Date() }, known))
      }),
  )
}

async function list({ db }: Session, all: boolean): Promise<Answer> {
  const items = await listSuspense(db, { all, limit: maxListed })
  const rows = items.map((item) => [
    item.id,
    item.environment,
    item.createdAt.toISOString(),
    formatMinor(item.amount, item.currency),
    item.state,
    item.story,
  ])
  const columns = [
    ...[{ title: 'ID' }, { title: 'ENVIRONMENT' }, { title: 'SINCE' }],
    ...[{ title: 'AMOUNT', align: 'right' as const }, { title: 'STATE' }, { title: 'STORY' }],
  ]
  const none = all ? 'There was never anything in suspense.' : 'Nothing waits for a decision.'
  return { text: rows.length > 0 ? table(columns, rows) : none, json: items.map(itemJson) }
}

async function credit(session: Session, id: string, options: CreditOptions): Promise<Answer> {
  const item = await requireItem(session.db, id)
  const account = await requireAccount(session.db, options)
  const { country } = walletScope({
    currency: item.currency,
    ...(options.country === undefined ? {} : { country: options.country }),
  })
  const { id: accountId, slot, environment } = account
  const owner = { accountId, slot, environment }
  const parts = { ...session, now: new Date() }
  return resolvedAnswer(await creditSuspense(parts, item.id, owner, country))
}

async function requireItem(db: Session['db'], id: string): Promise<SuspenseItem> {
  const item = slotOf(id) === undefined ? undefined : await findSuspense(db, id)
  if (item) return item
  throw new CommandError(`There is no suspense item "${id}": malipo suspense list shows them all.`)
}

function resolvedAnswer(outcome: Resolved | Refusal): Answer {
  if (outcome.kind === 'refused') throw new CommandError(outcome.why)
  const { item } = outcome
  const { text, json } = itemAnswer(item)
  const done = item.state === 'credited' ? 'is in the wallet' : 'is booked back to its rail'
  return { text: joinBlocks([`${formatMinor(item.amount, item.currency)} ${done}.`, text]), json }
}

function itemAnswer(item: SuspenseItem): Answer {
  const decided: Record<string, string> =
    item.resolvedAt === null
      ? {}
      : { decided: `${item.resolvedAt.toISOString()} by ${item.resolvedBy}` }
  const text = fields({
    id: item.id,
    state: item.state,
    ...decided,
    amount: formatMinor(item.amount, item.currency),
    story: item.story,
    since: item.createdAt.toISOString(),
    environment: item.environment,
    rail: item.rail,
    charge: item.transactionId ?? 'none',
    'external reference': item.externalReference ?? 'none',
    'paid into': item.accountNumber ?? 'unknown',
    'their reference': item.reference ?? 'none',
  })
  return { text, json: itemJson(item) }
}

/** Amounts as decimal text: a JSON number could not hold every sum. */
function itemJson({ slot: _slot, amount, ...item }: SuspenseItem) {
  return { ...item, amount: textFromMinor(amount, item.currency) }
}
