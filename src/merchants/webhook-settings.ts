import { isIP } from 'node:net'
import { announceChange } from '../db/changes.ts'
import type { Db, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Environment } from '../environment.ts'
import { validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Seal } from '../seal.ts'
import { wakeWaiting } from '../webhooks/waiting.ts'
import type { Account } from './account.ts'
import { audit } from './audit.ts'
import { newWebhookSecret } from './keys.ts'
import { isLoopbackAddress, isPublicAddress } from './networks.ts'

const secretPurpose = 'webhook secret'
export const maxUrlLength = 2048
/** How long events are signed with the old secret too. */
export const secretOverlapSeconds = 86_400

export async function insertWebhookSecret(
  tx: Tx,
  ids: Ids,
  seal: Seal,
  account: Pick<Account, 'id' | 'slot'>,
  secret: string,
): Promise<void> {
  await tx`
    insert into webhook_secrets (id, account_id, secret_sealed)
    values (${ids.next(account.slot)}, ${account.id},
      ${seal.seal(Buffer.from(secret), secretPurpose)})`
}

export type RotatedSecret = { secret: string; previousExpiresAt: Date }

/** A new secret, shown once. The one before signs too for the overlap; older ones end now. */
export function rotateWebhookSecret(
  db: Db,
  ids: Ids,
  seal: Seal,
  actor: string,
  account: Pick<Account, 'id' | 'slot'>,
  overlapSeconds: number,
): Promise<RotatedSecret> {
  return transaction(db, async (tx) => {
    // Two rotations at once must not both keep the same secret as the one before.
    await tx`select id from accounts where id = ${account.id} for update`
    const [end] = await tx<{ at: Date }[]>`
      select now() + ${overlapSeconds} * interval '1 second' as at`
    await tx`
      update webhook_secrets set expires_at = case when id = (
          select id from webhook_secrets where account_id = ${account.id}
          order by created_at desc, id desc limit 1
        ) then least(expires_at, ${end!.at}::timestamptz) else least(expires_at, now()) end
      where account_id = ${account.id}`
    const secret = newWebhookSecret()
    await insertWebhookSecret(tx, ids, seal, account, secret)
    const detail = { overlapSeconds }
    const about = { subject: account.id, accountId: account.id }
    await audit(tx, ids, { actor, action: 'webhook.rotate_secret', ...about, detail })
    await announceChange(tx, `account:${account.id}`)
    return { secret, previousExpiresAt: end!.at }
  })
}

/** A field that is absent stays as it is; null takes the URL away. */
export type WebhookUrls = { webhookUrl?: string | null; sandboxWebhookUrl?: string | null }

export function setWebhookUrls(
  db: Db,
  ids: Ids,
  actor: string,
  merchantId: string,
  urls: WebhookUrls,
  allowLoopback: boolean,
): Promise<void> {
  const wanted: [Environment, 'webhookUrl' | 'sandboxWebhookUrl'][] = [
    ['live', 'webhookUrl'],
    ['sandbox', 'sandboxWebhookUrl'],
  ]
  return transaction(db, async (tx) => {
    for (const [environment, field] of wanted) {
      const url = urls[field]
      if (url === undefined) continue
      if (url !== null) assertWebhookUrl(field, url, environment, allowLoopback)
      const [account] = await tx<{ id: string }[]>`
        update accounts set webhook_url = ${url}, webhook_failing_since = null,
          webhook_paused_at = null
        where merchant_id = ${merchantId} and environment = ${environment} returning id`
      if (!account) continue
      if (url !== null) await wakeWaiting(tx, account.id)
      const detail = { url }
      const about = { subject: account.id, merchantId }
      await audit(tx, ids, { actor, action: 'webhook.url', ...about, detail })
      await announceChange(tx, `account:${account.id}`)
    }
  })
}

/**
 * Live events go to https on public addresses only. The name is looked up again when a delivery
 * connects; here it is enough to refuse what is plainly wrong while somebody is there to read it.
 */
function assertWebhookUrl(
  field: string,
  text: string,
  environment: Environment,
  allowLoopback: boolean,
): void {
  if (text.length > maxUrlLength || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    throw validationError(`${field} must be a URL of at most ${maxUrlLength} characters.`)
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw validationError(`${field} must not contain a user name or password.`)
  }
  // The dot that ends a full name changes nothing about where it leads.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  const loopback = host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
  if (environment === 'sandbox' && allowLoopback && loopback && /^https?:$/.test(url.protocol)) {
    return
  }
  if (url.protocol !== 'https:') throw validationError(`${field} must begin with https://.`)
  const reachable = isIP(host) === 0 ? host.includes('.') && !loopback : isPublicAddress(host)
  if (!reachable) throw validationError(`${field} must lead to a public address.`)
}
