import { type Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import { slotOf } from '../ids.ts'
import { audit } from '../merchants/audit.ts'
import { rotateWebhookSecret, secretOverlapSeconds } from '../merchants/webhook-settings.ts'
import { readDeliveryState, resumeDelivery } from '../webhooks/pauses.ts'
import {
  listWebhooks,
  maxWebhookPage,
  readAttempts,
  readWebhook,
  showWebhook,
  type WebhookStatus,
  webhookStatuses,
} from '../webhooks/records.ts'
import { resendWebhook } from '../webhooks/resend.ts'
import { CommandError } from './command-error.ts'
import { counted, fields, joinBlocks, joinLines, table } from './layout.ts'
import {
  environmentOption,
  leaf,
  merchantOption,
  parseDuration,
  requireAccount,
} from './options.ts'
import { openSeal, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type AccountOptions = AnswerOptions & { merchant: string; environment: Environment }

const shownByDefault = 50

export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const webhooks = program.command('webhooks').description('Look after the delivery of events')
  const ofAccount = (name: string, description: string) =>
    leaf(webhooks, name, description)
      .addOption(merchantOption().makeOptionMandatory())
      .addOption(environmentOption().makeOptionMandatory())

  ofAccount('status', 'Show where events go, and whether they arrive').action(
    (options: AccountOptions) => terminal.answer(options, (session) => status(session, options)),
  )

  ofAccount('list', 'Show the records, newest first')
    .addOption(new Option('--status <status>', 'only those').choices(webhookStatuses))
    .addOption(
      new Option('--limit <count>', 'how many').argParser(parseLimit).default(shownByDefault),
    )
    .action((options: AccountOptions & ListOptions) =>
      terminal.answer(options, (session) => list(session, options)),
    )

  leaf(webhooks, 'show', 'Show a record with all its attempts')
    .argument('<id>', 'id of the record')
    .action((id: string, options: AnswerOptions) =>
      terminal.answer(options, (session) => show(session, id)),
    )

  leaf(webhooks, 'resend', 'Send a record again, whatever became of it')
    .argument('<id>', 'id of the record')
    .action((id: string, options: AnswerOptions) =>
      terminal.answer(options, (session) => resend(session, id)),
    )

  ofAccount('resume', 'End a pause, and send what did not arrive')
    .addOption(
      new Option('--since <time>', 'send all missed since then: a time, or how long ago, as 3d')
        .argParser(parseSince)
        .default(undefined, 'since nothing arrives'),
    )
    .action((options: AccountOptions & { since?: Date }) =>
      terminal.answer(options, (session) => resume(session, options)),
    )

  ofAccount('rotate-secret', 'Sign with a new secret, and show it once')
    .addOption(
      new Option('--overlap <duration>', 'how long the old one signs too: 30m, 24h, 7d, 0')
        .argParser(parseDuration)
        .default(secretOverlapSeconds, '24h'),
    )
    .action((options: AccountOptions & { overlap: number }) =>
      terminal.answer(options, (session) => rotate(session, options)),
    )
}

type ListOptions = { status?: WebhookStatus; limit: number }

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxWebhookPage) return limit
  throw new InvalidArgumentError(`Write a number from 1 to ${maxWebhookPage}.`)
}

function parseSince(text: string): Date {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - parseDuration(text) * 1000)
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('Write a time such as 2026-05-01T12:00:00Z, or 12h, or 3d.')
}

async function status({ db }: Session, options: AccountOptions): Promise<Answer> {
  const state = await readDeliveryState(db, await requireAccount(db, options))
  return {
    text: fields({
      url: state.webhookUrl ?? 'none',
      state: state.pausedAt
        ? `paused since ${state.pausedAt.toISOString()}: malipo webhooks resume ends it`
        : state.failingSince
          ? `nothing arrives since ${state.failingSince.toISOString()}`
          : 'in order',
      'to be sent': state.due.toLocaleString('en'),
      'set aside': state.setAside.toLocaleString('en'),
    }),
    json: state,
  }
}

async function list({ db }: Session, options: AccountOptions & ListOptions): Promise<Answer> {
  const { id: accountId, slot, environment, timeZone } = await requireAccount(db, options)
  const found = await listWebhooks(db, { accountId, slot, environment, timeZone }, options)
  const shown = found.map(showWebhook)
  const rows = shown.map(({ id, createdAt, event, data, response, status: state }) => [
    ...[id, createdAt, event, data.status, data.externalReference, state, response.status],
  ])
  const columns = ['ID', 'CREATED', 'EVENT', 'SAYS', 'REFERENCE', 'STATUS', 'ANSWER'].map(
    (title) => ({ title }),
  )
  return {
    text: rows.length > 0 ? table(columns, rows) : 'There are no such records.',
    json: shown,
  }
}

/** The id says where the record is; whose it is, the record says. */
async function ownerOf({ db }: Session, id: string) {
  const slot = slotOf(id)
  const [row] =
    slot === undefined
      ? []
      : await db<{ accountId: string; environment: Environment }[]>`
          select w.account_id as "accountId", a.environment
          from webhooks w join accounts a on a.id = w.account_id
          where w.slot = ${slot} and w.id = ${id}`
  if (!row) throw new CommandError(`There is no webhook ${id}.`)
  return { slot: slot!, ...row }
}

async function show(session: Session, id: string): Promise<Answer> {
  const { db } = session
  const owner = await ownerOf(session, id)
  const record = showWebhook(await readWebhook(db, owner, id))
  const attempts = await readAttempts(db, owner.slot, id)
  const { event, data, createdAt, status: state, webhookUrl } = record
  const columns = ['AT', 'TOOK', 'ANSWER', ''].map((title) => ({ title }))
  const rows = attempts.map(({ at, durationMs, status: answered, answer }) => [
    ...[at.toISOString(), `${durationMs} ms`, answered, answer.slice(0, 60)],
  ])
  return {
    text: joinBlocks([
      fields({
        ...{ id, event, created: createdAt, status: state, url: webhookUrl || 'none' },
        says: `${data.status} ${data.type} ${data.externalReference}`,
      }),
      rows.length > 0 ? table(columns, rows) : 'It has not been sent yet.',
    ]),
    json: { ...record, attempts },
  }
}

async function resend(session: Session, id: string): Promise<Answer> {
  const { db, ids, actor } = session
  const owner = await ownerOf(session, id)
  await resendWebhook(db, systemClock, owner, id)
  const { accountId } = owner
  await audit(db, ids, { actor, action: 'webhook.resend', subject: id, accountId })
  return { text: `The webhook ${id} is sent again.`, json: { id } }
}

async function resume(session: Session, options: AccountOptions & { since?: Date }) {
  const { db, ids, actor } = session
  const account = await requireAccount(db, options)
  const count = await resumeDelivery(db, account, options.since)
  const detail = { events: count }
  const about = { subject: account.id, accountId: account.id }
  await audit(db, ids, { actor, action: 'webhook.resume', ...about, detail })
  return {
    text: `Events are delivered again; ${counted(count, 'missed event')} will be sent.`,
    json: { accountId: account.id, events: count },
  }
}

async function rotate(session: Session, options: AccountOptions & { overlap: number }) {
  const { db, ids, actor } = session
  const account = await requireAccount(db, options)
  const seal = await openSeal(session)
  const rotated = await rotateWebhookSecret(db, ids, seal, actor, account, options.overlap)
  const end = rotated.previousExpiresAt.toISOString()
  return {
    text: joinBlocks([
      joinLines(['Events are signed with a new secret:', fields({ secret: rotated.secret })]),
      options.overlap === 0 ? 'The old one has ended.' : `The old one signs too until ${end}.`,
      'Keep the secret now: it is not shown again.',
    ]),
    json: rotated,
  }
}
