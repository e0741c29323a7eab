import { isIP } from 'node:net'
import { announceChange } from '../db/changes.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError, validationError } from '../errors.ts'
import { type Ids, slotOf } from '../ids.ts'
import { type Account, type Credential, type Scope, scopes } from './account.ts'
import { audit } from './audit.ts'
import { hashApiKey, newApiKey, newPublicKey } from './keys.ts'

export type NewCredential = { name: string; scopes?: readonly string[]; ipAllowList?: string[] }
/** The API key is known here once; the database keeps only its hash. */
export type CreatedCredential = { credential: Credential; apiKey: string }

export const maxCredentialsPerAccount = 50
const maxAllowedNetworks = 100

export function createCredential(
  db: Db,
  ids: Ids,
  actor: string,
  account: Account,
  request: NewCredential,
): Promise<CreatedCredential> {
  return transaction(db, async (tx) => {
    const created = await insertCredential(tx, ids, account, request)
    await audit(tx, ids, {
      actor,
      action: 'credential.create',
      subject: created.credential.id,
      merchantId: account.merchantId,
      detail: { name: request.name, scopes: created.credential.scopes },
    })
    return created
  })
}

export async function insertCredential(
  tx: Sql,
  ids: Ids,
  account: Account,
  request: NewCredential,
): Promise<CreatedCredential> {
  const apiKey = newApiKey(account.environment)
  const id = ids.next(account.slot)
  // The account's row is locked, so that two creations at once cannot pass the limit together.
  await tx`select id from accounts where id = ${account.id} for update`
  const [count] = await tx<{ active: number }[]>`
    select count(*)::int as active from credentials
    where account_id = ${account.id} and revoked_at is null
      and (expires_at is null or expires_at > now())`
  if (count!.active >= maxCredentialsPerAccount) {
    throw validationError(`an account has at most ${maxCredentialsPerAccount} active credentials.`)
  }
  await tx`
    insert into credentials (id, account_id, name, public_key, api_key_hash, scopes, ip_allow_list)
    values (${id}, ${account.id}, ${checkedName(request.name)},
      ${newPublicKey(account.environment)}, ${hashApiKey(apiKey)},
      ${checkedScopes(request.scopes ?? scopes)}::text[],
      array(select network(one::inet) from unnest(
        ${checkedNetworks(request.ipAllowList ?? [])}::text[]) one))`
  return { credential: await credentialById(tx, id), apiKey }
}

/** A new credential like the old one, which goes on for the overlap and then ends. */
export function rotateCredential(
  db: Db,
  ids: Ids,
  actor: string,
  idOrPublicKey: string,
  overlapSeconds: number,
): Promise<CreatedCredential> {
  return transaction(db, async (tx) => {
    const old = await credentialById(tx, idOrPublicKey)
    if (old.revokedAt) throw validationError('the credential is revoked; create a new one.')
    const account = await accountById(tx, old.accountId)
    const created = await insertCredential(tx, ids, account, old)
    await tx`
      update credentials set expires_at =
        least(expires_at, now() + ${overlapSeconds} * interval '1 second')
      where id = ${old.id}`
    const detail = { replacedBy: created.credential.id, overlapSeconds }
    const { merchantId } = account
    const action = 'credential.rotate'
    await audit(tx, ids, { actor, action, subject: old.id, merchantId, detail })
    await announceChange(tx, `credential:${old.id}`)
    return created
  })
}

/** Ends the credential and its tokens, at once and on every node. */
export function revokeCredential(
  db: Db,
  ids: Ids,
  actor: string,
  idOrPublicKey: string,
): Promise<void> {
  return transaction(db, async (tx) => {
    const { id, accountId } = await credentialById(tx, idOrPublicKey)
    await tx`update credentials set revoked_at = coalesce(revoked_at, now()) where id = ${id}`
    await audit(tx, ids, { actor, action: 'credential.revoke', subject: id, accountId })
    await announceChange(tx, `credential:${id}`)
  })
}

const columns = (sql: Sql) => sql`
  c.id, c.account_id as "accountId", a.environment, c.name, c.public_key as "publicKey", c.scopes,
  c.ip_allow_list::text[] as "ipAllowList", c.created_at as "createdAt",
  c.expires_at as "expiresAt", c.revoked_at as "revokedAt"`

export function listCredentials(sql: Sql, accountId?: string): Promise<Credential[]> {
  return sql<Credential[]>`
    select ${columns(sql)} from credentials c join accounts a on a.id = c.account_id
    ${accountId ? sql`where c.account_id = ${accountId}` : sql``}
    order by c.id desc limit 1000`
}

/** By its id or its public key: people have the public key at hand. */
export async function credentialById(sql: Sql, idOrPublicKey: string): Promise<Credential> {
  const [credential] = await sql<Credential[]>`
    select ${columns(sql)} from credentials c join accounts a on a.id = c.account_id
    where ${
      slotOf(idOrPublicKey) === undefined
        ? sql`c.public_key = ${idOrPublicKey}`
        : sql`c.id = ${idOrPublicKey}`
    }`
  if (credential) return credential
  throw new AppError('CREDENTIAL_NOT_FOUND')
}

export async function accountById(sql: Sql, id: string): Promise<Account> {
  const [account] = await sql<Account[]>`
    select id, slot, merchant_id as "merchantId", environment, time_zone as "timeZone",
      webhook_url as "webhookUrl"
    from accounts where id = ${id}`
  if (account) return account
  throw new AppError('E-B2B-S-118')
}

function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= 100) return trimmed
  throw validationError('the name of a credential has 1 to 100 characters.')
}

function checkedScopes(wanted: readonly string[]): Scope[] {
  const unknown = wanted.find((scope) => !scopes.some((known) => known === scope))
  if (unknown === undefined && wanted.length > 0) return [...new Set(wanted)] as Scope[]
  throw validationError(`scopes are one or more of ${scopes.join(', ')}.`)
}

function checkedNetworks(networks: readonly string[]): string[] {
  if (networks.length > maxAllowedNetworks) {
    throw validationError(`an allow-list has at most ${maxAllowedNetworks} networks.`)
  }
  for (const network of networks) {
    const [address, bits, ...rest] = network.split('/')
    const family = address?.includes('%') ? 0 : isIP(address ?? '')
    const maxBits = family === 6 ? 128 : 32
    const bitsRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits)
    if (family === 0 || !bitsRight || rest.length > 0) {
      throw validationError(`"${network}" is not an IP address or network such as 203.0.113.0/24.`)
    }
  }
  return [...networks]
}
