import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/pool.ts'
import { bodyColumn } from './delivery.ts'
import type { EventData } from './event.ts'

export type HeardEvent = {
  id: string
  event: string
  data: EventData
  sequence: number
  body: string
  createdAt: Date
}

const everyMs = 300
const pageSize = 500
/** A commit that takes a while shows an event after others with later ids. */
const overlapMs = 10_000

type Listened = { id: string; slot: number }

/** The events of an account from now on, as they come in. */
export async function followEvents(
  sql: Sql,
  account: Listened,
): Promise<AsyncGenerator<HeardEvent>> {
  const [start] = await sql<{ at: Date }[]>`select now() as at`
  return eventsSince(sql, account, start!.at.getTime())
}

async function* eventsSince(
  sql: Sql,
  { id: accountId, slot }: Listened,
  startMs: number,
): AsyncGenerator<HeardEvent> {
  let fromMs = startMs
  const seen = new Map<string, number>()
  for (;;) {
    const rows = await sql<HeardEvent[]>`
      select w.id, w.event, w.data, w.sequence, w.created_at as "createdAt",
        ${bodyColumn(sql)} as body
      from webhooks w
      where w.slot = ${slot} and w.account_id = ${accountId}
        and w.created_at >= ${new Date(fromMs)}::timestamptz
        and w.id <> all(${[...seen.keys()]}::uuid[])
      order by w.id limit ${pageSize}`
    for (const row of rows) {
      seen.set(row.id, row.createdAt.getTime())
      yield row
    }
    const newestMs = Math.max(fromMs, ...rows.map(({ createdAt }) => createdAt.getTime()))
    fromMs = Math.max(startMs, newestMs - overlapMs)
    for (const [id, atMs] of seen) if (atMs < fromMs) seen.delete(id)
    if (rows.length < pageSize) await sleep(everyMs)
  }
}
