import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { type Wallet, walletsOf } from '../ledger/wallets.ts'
import type { Access } from './tokens.ts'

export type Profile = {
  firstName: string
  lastName: string
  email: string
  publicKey: string
  webhookUrl: string | null
  sandboxWebhookUrl: string | null
  /** Since when nothing is sent to the URL of the token's account. */
  webhooksPausedAt: Date | null
  wallets: Wallet[]
}

/** Who the caller is, and what the account of the token holds. */
export async function readProfile(sql: Sql, access: Access): Promise<Profile> {
  const [[merchant], wallets] = await Promise.all([
    sql<Omit<Profile, 'wallets' | 'publicKey'>[]>`
      select m.first_name as "firstName", m.last_name as "lastName", m.email,
        live.webhook_url as "webhookUrl", sandbox.webhook_url as "sandboxWebhookUrl",
        own.webhook_paused_at as "webhooksPausedAt"
      from merchants m
      join accounts own on own.id = ${access.accountId}
      join accounts live on live.merchant_id = m.id and live.environment = 'live'
      join accounts sandbox on sandbox.merchant_id = m.id and sandbox.environment = 'sandbox'
      where m.id = ${access.merchantId}`,
    walletsOf(sql, access),
  ])
  if (!merchant) throw new AppError('E-B2B-S-118')
  return { ...merchant, publicKey: access.publicKey, wallets }
}
