import type { Sql } from '../db/pool.ts'
import { validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'

export type RequestRecord = {
  id: string
  at: Date
  method: string
  path: string
  status: number
  durationMs: number
  requestId: string
  /** The name of the credential, or its id where it has none any more. */
  credential: string
  ip: string
  request: string | null
  answer: string | null
}

export type RequestFilter = {
  statusClass?: 2 | 4 | 5 | undefined
  /** A part of the path. */
  path?: string | undefined
  after?: string | undefined
  limit: number
}

export type RequestPage = { rows: RequestRecord[]; next: string | null }

/** So many are looked through for one page; then `next` leads on. */
const scanned = 10_000
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** One page of the log of an account, newest first. */
export async function listRequests(
  sql: Sql,
  { slot, accountId }: Owner,
  { statusClass, path, after, limit }: RequestFilter,
): Promise<RequestPage> {
  if (after !== undefined && slotOf(after) !== slot) {
    throw validationError('after must be what the page before called next.')
  }
  const part = path?.replaceAll('\0', '') ?? null
  const stretch = sql`
    select l.* from request_log l
    where l.slot = ${slot} and l.account_id = ${accountId} and l.id < ${after ?? lastId}::uuid
    order by l.id desc limit ${scanned}`
  const rows = await sql<(RequestRecord & { last: string | null })[]>`
    with stretch as materialized (${stretch}),
    ends as (
      select case when count(*) = ${scanned} then (array_agg(id order by id))[1] end as last
      from stretch
    ),
    page as (
      select s.id, s.at, s.method, s.path, s.status, s.duration_ms as "durationMs",
        s.request_id as "requestId", s.ip, s.request, s.answer,
        coalesce(c.name, s.credential_id::text) as credential
      from stretch s left join credentials c
        on c.id = s.credential_id and c.account_id = ${accountId}
      where (${statusClass ?? null}::int is null or s.status / 100 = ${statusClass ?? null})
        and (${part}::text is null or position(${part}::text in s.path) > 0)
      order by s.id desc limit ${limit + 1}
    )
    select page.*, ends.last from ends left join page on true order by page.id desc`
  const last = rows[0]?.last ?? null
  const found = rows.filter(({ id }) => id !== null).map(({ last: _last, ...row }) => row)
  const page = found.slice(0, limit)
  return { rows: page, next: found.length > limit ? page.at(-1)!.id : last }
}
