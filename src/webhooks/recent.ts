import type { Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'

export type RecentEvent = {
  id: string
  accountId: string
  transactionId: string
  kind: 'payout' | 'charge'
  status: string
  sequence: number
}

/** Whose events, and after which id. */
export type Since = { slot: number; accountId: string; sinceId: string }

/** Of one account: who has more looks at a page that is read anew anyway. */
const maxPerAccount = 200

const sinceColumns: UnnestColumns<Since> = {
  slot: ['smallint', ({ slot }) => slot],
  account_id: ['uuid', ({ accountId }) => accountId],
  since_id: ['uuid', ({ sinceId }) => sinceId],
}

/** What these accounts were told of lately, oldest first. */
export function recentEvents(sql: Sql, accounts: readonly Since[]): Promise<RecentEvent[]> {
  return sql<RecentEvent[]>`
    select recent.* from (${unnest(sql, 's', accounts, sinceColumns)}) s
    cross join lateral (
      select w.id, w.account_id as "accountId", w.transaction_id as "transactionId",
        case w.data ->> 'type' when 'withdrew' then 'payout' else 'charge' end as kind,
        w.data ->> 'status' as status, w.sequence
      from webhooks w
      where w.slot = s.slot and w.account_id = s.account_id and w.id > s.since_id
      order by w.id desc limit ${maxPerAccount}
    ) recent
    order by recent.id`
}
