import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'

export type WebhookSettings = {
  url: string | null
  pausedAt: Date | null
  failingSince: Date | null
  /** Those that sign events now, the newest first; their text is not told again. */
  secrets: { createdAt: Date; expiresAt: Date | null }[]
}

export async function readWebhookSettings(sql: Sql, accountId: string): Promise<WebhookSettings> {
  const [[account], secrets] = await Promise.all([
    sql<Omit<WebhookSettings, 'secrets'>[]>`
      select webhook_url as url, webhook_paused_at as "pausedAt",
        webhook_failing_since as "failingSince"
      from accounts where id = ${accountId}`,
    sql<WebhookSettings['secrets']>`
      select created_at as "createdAt", expires_at as "expiresAt" from webhook_secrets
      where account_id = ${accountId} and (expires_at is null or expires_at > now())
      order by created_at desc, id desc limit 10`,
  ])
  if (!account) throw new AppError('E-B2B-S-118')
  return { ...account, secrets }
}
