import { jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Clock, unixSeconds } from '../clock.ts'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { AppError } from '../errors.ts'
import type { Scope } from './account.ts'
import type { FeeRule } from './fee-plan.ts'
import { hashApiKey } from './keys.ts'
import { allowsAddress } from './networks.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'

/** What a verified token lets its bearer do, and for whom. */
export type Access = {
  credentialId: string
  publicKey: string
  accountId: string
  merchantId: string
  slot: number
  environment: Environment
  timeZone: string
  feePlan: readonly FeeRule[]
  scopes: ReadonlySet<Scope>
  ipAllowList: readonly string[]
  expiresAtMs: number
  /** Who it is where it was made from the session of a person; the credential id is theirs then. */
  personId?: string
}

export type Tokens = {
  exchange(request: {
    apiKey: string | undefined
    publicKey: string
    ip: string
  }): Promise<{ token: string; expiresAt: number }>
  verify(token: string): Promise<Access>
}

export const tokenLifetimeSeconds = 3600
/** With more time left than this, an exchange hands out the same token again. */
const reuseMarginSeconds = 300
const cachedTokens = 20_000
const maxTokenLength = 2048
const algorithm = 'HS256'
const issuer = 'malipo'

type CredentialRow = Omit<Access, 'scopes' | 'expiresAtMs'> & {
  scopes: Scope[]
  tokenIssuedAt: Date | null
  tokenKeyId: string | null
  expiresAt: Date | null
  revokedAt: Date | null
}

type Dependencies = { db: Db; clock: Clock; signingKeys: SigningKeys; changes: Changes }

export function createTokens({ db, clock, signingKeys, changes }: Dependencies): Tokens {
  const cache = new LRUCache<string, Access>({ max: cachedTokens })
  let generation = 0
  changes.onChange((subject) => {
    if (subject === 'all') cache.clear()
    const [kind, id] = subject.split(':')
    if (kind === 'credential' || kind === 'account') {
      for (const [token, { credentialId, accountId }] of cache.entries()) {
        if (credentialId === id || accountId === id) cache.delete(token)
      }
    }
    generation++
  })

  async function exchange({ apiKey, publicKey, ip }: Parameters<Tokens['exchange']>[0]) {
    if (apiKey === undefined || apiKey === '') throw refusedKeys('the header api-key is missing')
    const credential = await findCredential(db, { apiKeyHash: hashApiKey(apiKey) })
    if (credential?.publicKey !== publicKey) throw refusedKeys('unknown API key or public key')
    const end = endOf(credential, clock)
    if (end) throw refusedKeys(end)
    if (!allowsAddress(credential.ipAllowList, ip)) throw new AppError('IP_NOT_ALLOWED')
    const { issuedAt, key } = await issue({ db, clock, signingKeys }, credential)
    const expiresAt = expiryOf(credential, issuedAt)
    return { token: await sign(credential, key, issuedAt, expiresAt), expiresAt }
  }

  async function verify(token: string): Promise<Access> {
    const cached = changes.isLive() ? cache.get(token) : undefined
    if (cached && cached.expiresAtMs > clock.now()) return cached
    const before = generation
    const access = await verifyAnew(token)
    // A change that arrived meanwhile may be about this very credential.
    if (generation === before && changes.isLive()) cache.set(token, access)
    return access
  }

  async function verifyAnew(token: string): Promise<Access> {
    const claims = await readClaims(token, signingKeys, clock)
    const credential = await findCredential(db, { id: claims.credentialId })
    if (!credential) throw new AppError('UNAUTHORIZED', { detail: 'the credential is gone' })
    const end = endOf(credential, clock)
    if (end) throw new AppError('UNAUTHORIZED', { detail: end })
    const {
      scopes,
      tokenIssuedAt: _i,
      tokenKeyId: _k,
      expiresAt,
      revokedAt: _r,
      ...rest
    } = credential
    const credentialEndsMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    return {
      ...rest,
      scopes: new Set(scopes),
      expiresAtMs: Math.min(claims.expiresAt * 1000, credentialEndsMs),
    }
  }

  return { exchange, verify }
}

/** When the current token of a credential was issued, after making sure it has time left. */
async function issue(
  { db, clock, signingKeys }: Omit<Dependencies, 'changes'>,
  credential: CredentialRow,
): Promise<{ issuedAt: number; key: SigningKey }> {
  const now = unixSeconds(clock.now())
  const { tokenIssuedAt, tokenKeyId } = credential
  if (tokenIssuedAt && tokenKeyId) {
    const issuedAt = unixSeconds(tokenIssuedAt.getTime())
    const left = issuedAt + tokenLifetimeSeconds - now
    const key = left > reuseMarginSeconds ? await signingKeys.byId(tokenKeyId) : undefined
    if (key && left <= tokenLifetimeSeconds) return { issuedAt, key }
  }
  const key = await signingKeys.current()
  // Of two exchanges at once one writes; the other then finds the token of the first.
  const [issued] = await db`
    update credentials set token_issued_at = to_timestamp(${now}), token_key_id = ${key.id}
    where id = ${credential.credentialId} and token_issued_at is not distinct from ${tokenIssuedAt}
    returning id`
  if (issued) return { issuedAt: now, key }
  const newer = await findCredential(db, { id: credential.credentialId })
  return issue({ db, clock, signingKeys }, newer!)
}

/** HMAC is deterministic, so the same claims under the same key give the same token again. */
function sign(credential: CredentialRow, key: SigningKey, issuedAt: number, expiresAt: number) {
  return new SignJWT({ env: credential.environment, scope: credential.scopes.join(' ') })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: key.id })
    .setIssuer(issuer)
    .setSubject(credential.accountId)
    .setJti(credential.credentialId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key.secret)
}

function expiryOf({ expiresAt }: CredentialRow, issuedAt: number): number {
  const full = issuedAt + tokenLifetimeSeconds
  return expiresAt ? Math.min(full, unixSeconds(expiresAt.getTime())) : full
}

async function readClaims(token: string, signingKeys: SigningKeys, clock: Clock) {
  if (token.length > maxTokenLength) throw new AppError('UNAUTHORIZED', { detail: 'too long' })
  let foreignFault: unknown
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = await signingKeys.byId(kid ?? '').catch((error: unknown) => {
          foreignFault = error
          throw error
        })
        if (key) return key.secret
        throw new AppError('UNAUTHORIZED', { detail: 'signed with a key we do not know' })
      },
      {
        algorithms: [algorithm],
        issuer,
        requiredClaims: ['jti', 'sub', 'exp'],
        currentDate: new Date(clock.now()),
      },
    )
    return { credentialId: payload.jti!, expiresAt: payload.exp! }
  } catch (cause) {
    // A database that is away says nothing about the token.
    if (foreignFault !== undefined) throw foreignFault
    throw new AppError('UNAUTHORIZED', { detail: String(cause) })
  }
}

/** Why the credential can no longer be used; nothing while it can. */
function endOf({ revokedAt, expiresAt }: CredentialRow, clock: Clock): string | undefined {
  if (revokedAt) return 'the credential is revoked'
  if (expiresAt && expiresAt.getTime() <= clock.now()) return 'the credential has ended'
  return undefined
}

/** The caller learns no more than that the pair is wrong; the log knows which part. */
function refusedKeys(detail: string): AppError {
  return new AppError('UNAUTHORIZED', {
    message: 'The API key or the public key is missing, wrong or no longer valid.',
    detail,
  })
}

async function findCredential(
  db: Db,
  by: { id: string } | { apiKeyHash: Buffer },
): Promise<CredentialRow | undefined> {
  const [row] = await db<CredentialRow[]>`
    select c.id as "credentialId", c.public_key as "publicKey", c.account_id as "accountId",
      a.merchant_id as "merchantId", a.slot, a.environment, a.time_zone as "timeZone",
      a.fee_plan as "feePlan", c.scopes,
      c.ip_allow_list::text[] as "ipAllowList", c.token_issued_at as "tokenIssuedAt",
      c.token_key_id as "tokenKeyId", c.expires_at as "expiresAt", c.revoked_at as "revokedAt"
    from credentials c join accounts a on a.id = c.account_id
    where ${'id' in by ? db`c.id = ${by.id}` : db`c.api_key_hash = ${by.apiKeyHash}`}`
  return row
}
