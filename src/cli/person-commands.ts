import { type Command, Option } from 'commander'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../db/pool.ts'
import { eachMerchant } from '../merchants/find-merchant.ts'
import {
  type Colleague,
  changePerson,
  findPerson,
  inviteAgain,
  invitePerson,
  listPeople,
} from '../people/manage.ts'
import { type Role, roles } from '../people/person.ts'
import { CommandError } from './command-error.ts'
import { fields, joinBlocks, printable, table } from './layout.ts'
import { leaf, merchantOption, requireMerchant } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

const maxListed = 1000
const personWords = 'their email or id'

type AddOptions = AnswerOptions & { merchant: string; email: string; name: string; role: Role }
type ListOptions = AnswerOptions & { merchant?: string }

export function addPersonCommands(program: Command, terminal: Terminal): void {
  const person = program.command('person').description('Let people into the dashboard')

  leaf(person, 'add', 'Add a person and show the link to join with, once')
    .addOption(merchantOption().makeOptionMandatory())
    .requiredOption('--email <email>', 'what they sign in with')
    .requiredOption('--name <name>', 'what they are called')
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('owner'))
    .action((options: AddOptions) => terminal.answer(options, (session) => add(session, options)))

  leaf(person, 'list', 'Show the people, of one merchant or of all')
    .addOption(merchantOption())
    .action((options: ListOptions) => terminal.answer(options, (session) => list(session, options)))

  leaf(person, 'reset', 'Show a link with which a person sets a new password')
    .argument('<person>', personWords)
    .action((text: string, options: AnswerOptions) =>
      terminal.answer(options, (session) => reset(session, text)),
    )

  leaf(person, 'disable', 'End the access of a person, at once and everywhere')
    .argument('<person>', personWords)
    .action((text: string, options: AnswerOptions) =>
      terminal.answer(options, (session) => disable(session, text)),
    )
}

async function add(session: Session, options: AddOptions): Promise<Answer> {
  const { db, ids, actor, config } = session
  const { merchant } = await requireMerchant(db, options.merchant)
  const parts = { db, ids, clock: systemClock }
  const doing = { actor, merchantId: merchant.id }
  const { id, token } = await invitePerson(parts, doing, options)
  const link = linkOf(config, token)
  const { email, role } = options
  return {
    text: joinBlocks([
      `${printable(email)} can join ${printable(merchant.name)}.`,
      fields({ id, role, link }),
      'The link works once, for a week, and is not shown again.',
    ]),
    json: { id, email, role, merchantId: merchant.id, link },
  }
}

async function list({ db }: Session, { merchant }: ListOptions): Promise<Answer> {
  const merchants = merchant
    ? [await requireMerchant(db, merchant)]
    : await Array.fromAsync(eachMerchant(db))
  const people = await listPeople(db, merchant ? merchants[0]!.merchant.id : null, maxListed)
  const names = new Map(merchants.map((each) => [each.merchant.id, each.merchant.name]))
  const rows = people.map((each) => [
    ...[each.email, each.name, names.get(each.merchantId) ?? '', each.role, stateOf(each)],
  ])
  const columns = ['EMAIL', 'NAME', 'MERCHANT', 'ROLE', 'STATE'].map((title) => ({ title }))
  return {
    text: rows.length > 0 ? table(columns, rows) : 'There is nobody.',
    json: people,
  }
}

function stateOf({ disabled, invited, lastSeenAt }: Colleague): string {
  if (disabled) return 'disabled'
  if (invited) return 'invited'
  return lastSeenAt ? `seen ${lastSeenAt.toISOString()}` : 'never seen'
}

async function reset({ db, ids, actor, config }: Session, text: string): Promise<Answer> {
  const { id, email, merchantId } = await requirePerson(db, text)
  const parts = { db, ids, clock: systemClock }
  const { token } = await inviteAgain(parts, { actor, merchantId }, id)
  const link = linkOf(config, token)
  return {
    text: joinBlocks([
      `${printable(email)} sets a new password here; codes of an app are asked for no more then.`,
      fields({ link }),
      'The link works once, for a week, and is not shown again.',
    ]),
    json: { id, email, link },
  }
}

async function disable({ db, ids, actor }: Session, text: string): Promise<Answer> {
  const { id, merchantId } = await requirePerson(db, text)
  const changed = await changePerson({ db, ids }, { actor, merchantId }, id, { disabled: true })
  return { text: `${printable(changed.email)} cannot sign in any more.`, json: changed }
}

async function requirePerson(sql: Sql, text: string): Promise<Colleague> {
  const found = await findPerson(sql, text.trim())
  if (found) return found
  throw new CommandError(`There is no person "${text}": malipo person list shows them all.`)
}

function linkOf({ publicUrl, port }: Config, token: string): string {
  return `${publicUrl ?? `http://localhost:${port}`}/join/${token}`
}
