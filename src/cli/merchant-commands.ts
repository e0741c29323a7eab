import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import {
  type CreatedAccount,
  createMerchant,
  type NewMerchant,
} from '../merchants/create-merchant.ts'
import { eachMerchant, type MerchantAccounts } from '../merchants/find-merchant.ts'
import { setFeePlan } from '../merchants/set-fee-plan.ts'
import { setWebhookUrls, type WebhookUrls } from '../merchants/webhook-settings.ts'
import { CommandError } from './command-error.ts'
import { fields, joinBlocks, joinLines, printable, table } from './layout.ts'
import { environmentOption, leaf, merchantWords, requireMerchant } from './options.ts'
import { openSeal, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

export function addMerchantCommands(program: Command, terminal: Terminal): void {
  const merchant = program.command('merchant').description('Create merchants and set them up')

  leaf(merchant, 'create', 'Create a merchant and show its keys, once')
    .requiredOption('--name <name>', 'name of the business')
    .requiredOption('--first-name <name>', 'first name of its contact')
    .requiredOption('--last-name <name>', 'last name of its contact')
    .requiredOption('--email <email>', 'e-mail address of its contact')
    .action((options: NewMerchant & AnswerOptions) =>
      terminal.answer(options, (session) => create(session, options)),
    )

  leaf(merchant, 'list', 'Show all merchants').action((options: AnswerOptions) =>
    terminal.answer(options, list),
  )

  leaf(merchant, 'set-webhook', 'Set where the events of a merchant are sent')
    .argument('<merchant>', merchantWords)
    .option('--live-url <url>', 'for live events; an empty text removes it')
    .option('--sandbox-url <url>', 'for sandbox events; an empty text removes it')
    .action((text: string, options: WebhookOptions & AnswerOptions) =>
      terminal.answer(options, (session) => setWebhook(session, text, options)),
    )

  leaf(merchant, 'set-fees', 'Set what a merchant pays for payouts and charges')
    .argument('<merchant>', merchantWords)
    .addOption(environmentOption().makeOptionMandatory())
    .requiredOption('--plan <json>', 'rules, the first that fits counts; [] for no fees')
    .action((text: string, options: FeeOptions & AnswerOptions) =>
      terminal.answer(options, (session) => setFees(session, text, options)),
    )
}

async function create(session: Session, options: NewMerchant): Promise<Answer> {
  const { db, ids, actor } = session
  const { name, firstName, lastName, email } = options
  const request = { name, firstName, lastName, email }
  const created = await createMerchant(db, ids, await openSeal(session), actor, request)
  const { merchant } = created
  return {
    text: joinBlocks([
      `The merchant ${printable(merchant.name)} was created.`,
      fields({ id: merchant.id, email: merchant.email }),
      joinLines(['Sandbox', fields(keysOf(created.sandbox))]),
      joinLines(['Live', fields(keysOf(created.live))]),
      'Keep the API keys and the webhook secrets now: they are not shown again.',
    ]),
    json: {
      merchant,
      sandbox: newAccountJson(created.sandbox),
      live: newAccountJson(created.live),
    },
  }
}

function keysOf({ credential, apiKey, webhookSecret }: CreatedAccount): Record<string, string> {
  return {
    'public key': credential.publicKey,
    'API key': apiKey,
    'webhook secret': webhookSecret,
  }
}

function newAccountJson({ account, credential, apiKey, webhookSecret }: CreatedAccount) {
  const { publicKey } = credential
  return { accountId: account.id, credentialId: credential.id, publicKey, apiKey, webhookSecret }
}

async function list({ db }: Session): Promise<Answer> {
  const merchants = await Array.fromAsync(eachMerchant(db))
  const rows = merchants.map(({ merchant }) => [
    merchant.id,
    merchant.name,
    merchant.email,
    merchant.createdAt.toISOString(),
  ])
  const columns = ['ID', 'NAME', 'EMAIL', 'CREATED'].map((title) => ({ title }))
  return {
    text: rows.length > 0 ? table(columns, rows) : 'There are no merchants yet.',
    json: merchants.map(merchantJson),
  }
}

function merchantJson({ merchant, sandbox, live }: MerchantAccounts) {
  const side = ({ id, webhookUrl }: MerchantAccounts['live']) => ({ accountId: id, webhookUrl })
  return { ...merchant, sandbox: side(sandbox), live: side(live) }
}

type WebhookOptions = { liveUrl?: string; sandboxUrl?: string }

async function setWebhook(session: Session, text: string, options: WebhookOptions) {
  const { config, db, ids, actor } = session
  const { merchant } = await requireMerchant(db, text)
  const urls: WebhookUrls = {}
  if (options.liveUrl !== undefined) urls.webhookUrl = options.liveUrl || null
  if (options.sandboxUrl !== undefined) urls.sandboxWebhookUrl = options.sandboxUrl || null
  await setWebhookUrls(db, ids, actor, merchant.id, urls, config.loopbackWebhooks)
  const { live, sandbox } = await requireMerchant(db, merchant.id)
  return {
    text: joinLines([
      `Events of ${printable(merchant.name)} are sent to:`,
      fields({
        live: live.webhookUrl ?? 'nowhere',
        sandbox: sandbox.webhookUrl ?? 'nowhere',
      }),
    ]),
    json: {
      merchantId: merchant.id,
      liveUrl: live.webhookUrl,
      sandboxUrl: sandbox.webhookUrl,
    },
  }
}

type FeeOptions = { environment: Environment; plan: string }

async function setFees(session: Session, text: string, { environment, plan }: FeeOptions) {
  const { db, ids, actor } = session
  const found = await requireMerchant(db, text)
  const rules = await setFeePlan(db, ids, actor, found[environment], parsedPlan(plan))
  const name = printable(found.merchant.name)
  const count = rules.length === 1 ? '1 rule' : `${rules.length} rules`
  return {
    text: `The ${environment} fee plan of ${name} has ${count} now.`,
    json: { accountId: found[environment].id, environment, feePlan: rules },
  }
}

function parsedPlan(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError('The plan is not valid JSON.')
  }
}
