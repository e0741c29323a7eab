import type { Sql } from '../db/pool.ts'
import type { Owner } from '../ledger/wallets.ts'
import {
  type AttemptRecord,
  listWebhooks,
  maxWebhookPage,
  readAttempts,
  type WebhookFilter,
  type WebhookRecord,
} from './records.ts'

export const eventNames = ['transaction_created', 'transaction_updated'] as const

export type WebhookSearch = WebhookFilter & { event?: (typeof eventNames)[number] | undefined }

/** Pages that are looked through for one page of an event; then `next` leads on. */
const maxPages = 10

/** One page, newest first, with what leads to the one after it. */
export async function searchWebhooks(
  sql: Sql,
  owner: Owner & { timeZone: string },
  { event, limit, ...filter }: WebhookSearch,
): Promise<{ rows: WebhookRecord[]; next: string | null }> {
  const rows: WebhookRecord[] = []
  let { after } = filter
  for (let page = 0; page < maxPages; page++) {
    const found = await listWebhooks(sql, owner, { ...filter, after, limit: maxWebhookPage })
    for (const row of found) {
      if (event !== undefined && row.event !== event) continue
      if (rows.length === limit) return { rows, next: rows.at(-1)!.id }
      rows.push(row)
    }
    if (found.length < maxWebhookPage) return { rows, next: null }
    after = found.at(-1)!.id
  }
  return { rows, next: after ?? null }
}

export type ToldEvent = Omit<WebhookRecord, 'attempts'> & { attempts: AttemptRecord[] }

/** Everything that was told about one transaction, the first first, with every attempt. */
export async function toldAbout(
  sql: Sql,
  owner: Owner & { timeZone: string },
  transactionId: string,
): Promise<ToldEvent[]> {
  const records = await listWebhooks(sql, owner, { transactionId, limit: maxWebhookPage })
  return await Promise.all(
    records.reverse().map(async (record) => ({
      ...record,
      attempts: await readAttempts(sql, owner.slot, record.id),
    })),
  )
}

/** How many events since an id were given up; more than the bound are not counted. */
export async function countFailedWebhooks(
  sql: Sql,
  { slot, accountId }: Owner,
  { fromId, most }: { fromId: string; most: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from webhooks w
      where w.slot = ${slot} and w.account_id = ${accountId} and w.status = 'FAILED'
        and w.id >= ${fromId}::uuid
      order by w.id desc limit ${most}
    ) failed`
  return row!.count
}
