import { type Command, Option } from 'commander'
import type { Sql } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { type Account, type Credential, scopes } from '../merchants/account.ts'
import { audit } from '../merchants/audit.ts'
import {
  type CreatedCredential,
  createCredential,
  credentialById,
  listCredentials,
  revokeCredential,
  rotateCredential,
} from '../merchants/credentials.ts'
import { eachMerchant, type MerchantAccounts } from '../merchants/find-merchant.ts'
import { createSigningKeys, rotateSigningKey } from '../merchants/signing-keys.ts'
import { fields, joinBlocks, table } from './layout.ts'
import {
  environmentOption,
  environments,
  leaf,
  merchantOption,
  parseDuration,
  requireAccount,
  requireMerchant,
} from './options.ts'
import { openSeal, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

const daySeconds = 86_400
// As many as one reading of the table gives.
const maxListed = 1000
const keyWords = 'its public key or its id'

type ListOptions = AnswerOptions & { merchant?: string; environment?: Environment }
type CreateOptions = AnswerOptions & {
  merchant: string
  environment: Environment
  name: string
  scope?: string[]
  allowIp?: string[]
}

export function addKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('Create, rotate and revoke keys')

  leaf(keys, 'list', 'Show the keys, of one merchant or of all')
    .addOption(merchantOption())
    .addOption(environmentOption())
    .action((options: ListOptions) => terminal.answer(options, (session) => list(session, options)))

  leaf(keys, 'create', 'Create a key and show it, once')
    .addOption(merchantOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .option('--name <name>', 'what the key is for', 'key')
    .addOption(new Option('--scope <scope...>', 'what it may do; all if absent').choices(scopes))
    .option('--allow-ip <network...>', 'from where it may be used; anywhere if absent')
    .action((options: CreateOptions) =>
      terminal.answer(options, (session) => create(session, options)),
    )

  leaf(keys, 'rotate', 'Replace a key by a new one that may do the same')
    .argument('<key>', keyWords)
    .addOption(
      new Option('--overlap <duration>', 'how long the old key goes on: 30m, 24h, 7d, 0')
        .argParser(parseDuration)
        .default(daySeconds, '24h'),
    )
    .action((key: string, options: AnswerOptions & { overlap: number }) =>
      terminal.answer(options, (session) => rotate(session, key, options.overlap)),
    )

  leaf(keys, 'revoke', 'End a key and its tokens, at once and everywhere')
    .argument('<key>', keyWords)
    .action((key: string, options: AnswerOptions) =>
      terminal.answer(options, (session) => revoke(session, key)),
    )

  leaf(keys, 'rotate-signing', 'Sign access tokens with a new key from now on').action(
    (options: AnswerOptions) => terminal.answer(options, rotateSigning),
  )
}

async function list({ db }: Session, { merchant, environment }: ListOptions): Promise<Answer> {
  const merchants = merchant
    ? [await requireMerchant(db, merchant)]
    : await Array.fromAsync(eachMerchant(db))
  const credentials = merchant
    ? await credentialsOf(db, accountsOf(merchants[0]!))
    : await listCredentials(db)
  const wanted = credentials.filter((each) => !environment || each.environment === environment)
  const emails = new Map(
    merchants.flatMap((each) =>
      accountsOf(each).map(({ id }) => [id, each.merchant.email] as const),
    ),
  )
  const rows = wanted.map((credential) => [
    credential.publicKey,
    emails.get(credential.accountId) ?? '',
    credential.name,
    credential.scopes.length === scopes.length ? 'all' : credential.scopes.join(' '),
    stateOf(credential),
  ])
  const columns = ['PUBLIC KEY', 'MERCHANT', 'NAME', 'SCOPES', 'STATE'].map((title) => ({ title }))
  const isCut = !merchant && credentials.length >= maxListed
  return {
    text: joinBlocks([
      rows.length > 0 ? table(columns, rows) : 'There are no such keys.',
      ...(isCut ? [`These are among the newest ${maxListed}; --merchant shows all of one.`] : []),
    ]),
    json: wanted,
  }
}

function accountsOf(accounts: MerchantAccounts): Account[] {
  return environments.map((environment) => accounts[environment])
}

async function credentialsOf(sql: Sql, accounts: Account[]): Promise<Credential[]> {
  return (await Promise.all(accounts.map(({ id }) => listCredentials(sql, id)))).flat()
}

function stateOf({ revokedAt, expiresAt }: Credential): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`
  if (!expiresAt) return 'active'
  return `${expiresAt.getTime() > Date.now() ? 'ends' : 'ended'} ${expiresAt.toISOString()}`
}

async function create({ db, ids, actor }: Session, options: CreateOptions): Promise<Answer> {
  const account = await requireAccount(db, options)
  const created = await createCredential(db, ids, actor, account, {
    name: options.name,
    ...(options.scope ? { scopes: options.scope } : {}),
    ...(options.allowIp ? { ipAllowList: options.allowIp } : {}),
  })
  return newKeyAnswer(`A ${account.environment} key was created.`, created)
}

async function rotate({ db, ids, actor }: Session, key: string, overlapSeconds: number) {
  const { id } = await credentialById(db, key)
  const created = await rotateCredential(db, ids, actor, id, overlapSeconds)
  const old = await credentialById(db, id)
  const end = old.expiresAt?.toISOString()
  const words = overlapSeconds === 0 ? 'has ended' : `goes on until ${end}`
  return newKeyAnswer(`The key ${old.publicKey} ${words}. This one replaces it:`, created, old)
}

function newKeyAnswer(
  sentence: string,
  { credential, apiKey }: CreatedCredential,
  replaced?: Credential,
): Answer {
  return {
    text: joinBlocks([
      sentence,
      fields({
        id: credential.id,
        'public key': credential.publicKey,
        'API key': apiKey,
        scopes: credential.scopes.join(' '),
        'allowed from': credential.ipAllowList.join(' ') || 'anywhere',
      }),
      'Keep the API key now: it is not shown again.',
    ]),
    json: { credential, apiKey, ...(replaced ? { replaced } : {}) },
  }
}

async function revoke({ db, ids, actor }: Session, key: string): Promise<Answer> {
  const before = await credentialById(db, key)
  if (!before.revokedAt) await revokeCredential(db, ids, actor, before.id)
  const credential = await credentialById(db, before.id)
  const when = credential.revokedAt?.toISOString()
  return {
    text: before.revokedAt
      ? `The key ${credential.publicKey} was revoked already, at ${when}.`
      : `The key ${credential.publicKey} is revoked, and its tokens with it.`,
    json: credential,
  }
}

async function rotateSigning(session: Session): Promise<Answer> {
  const { db, ids, actor } = session
  const seal = await openSeal(session)
  await rotateSigningKey(db, seal, true)
  const { id, createdAt } = await createSigningKeys(db, seal).current()
  await audit(db, ids, { actor, action: 'signing_key.rotate', subject: id })
  return {
    text: `New tokens are signed with ${id} within a minute; those in use stay valid.`,
    json: { id, createdAt },
  }
}
