import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Ids } from '../ids.ts'
import type { Seal } from '../seal.ts'
import { insertMerchant } from './create-merchant.ts'
import { accountById, insertCredential } from './credentials.ts'
import { hashApiKey, newWebhookSecret } from './keys.ts'
import { insertWebhookSecret } from './webhook-settings.ts'

export type SandboxCredentials = { publicKey: string; apiKey: string; webhookSecret: string }

const actor = 'start'
const owner = {
  name: 'Demo',
  firstName: 'Demo',
  lastName: 'Merchant',
  email: 'demo@malipo.example',
}

/**
 * Makes the demo merchant once. The keys are known only to whoever kept them, so a start that
 * finds them gone makes new ones for the same merchant.
 */
export function ensureDemoMerchant(
  db: Db,
  ids: Ids,
  seal: Seal,
  kept: SandboxCredentials | undefined,
): Promise<SandboxCredentials> {
  return transaction(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('malipo demo merchant'))`
    const [demo] = await tx<{ accountId: string }[]>`
      select value ->> 'accountId' as "accountId" from settings where name = 'demo_merchant'`
    if (!demo) {
      const { sandbox } = await insertMerchant(tx, ids, seal, actor, owner)
      await tx`
        insert into settings (name, value)
        values ('demo_merchant', ${tx.json({ accountId: sandbox.account.id })})`
      return {
        publicKey: sandbox.credential.publicKey,
        apiKey: sandbox.apiKey,
        webhookSecret: sandbox.webhookSecret,
      }
    }
    if (kept) {
      const [valid] = await tx`
        select id from credentials
        where account_id = ${demo.accountId} and api_key_hash = ${hashApiKey(kept.apiKey)}
          and public_key = ${kept.publicKey} and revoked_at is null
          and (expires_at is null or expires_at > now())`
      if (valid) return kept
    }
    const account = await accountById(tx, demo.accountId)
    const webhookSecret = newWebhookSecret()
    await tx`update webhook_secrets set expires_at = now() where account_id = ${account.id}`
    await insertWebhookSecret(tx, ids, seal, account, webhookSecret)
    const { credential, apiKey } = await insertCredential(tx, ids, account, { name: 'demo key' })
    return { publicKey: credential.publicKey, apiKey, webhookSecret }
  })
}
