import type { Fragment, Sql } from '../db/pool.ts'
import { AppError, validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { type Days, type IdRange, idRange } from '../transactions/days.ts'
import type { EventData } from './event.ts'

export const webhookStatuses = ['CREATED', 'FAILED', 'SUCCESS'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** An event as its merchant may read it, with what came of it. */
export type WebhookRecord = {
  id: string
  createdAt: Date
  event: string
  data: EventData
  sequence: number
  status: WebhookStatus
  /** How many of its schedule are made. */
  attempts: number
  /** When it is to be sent; none while it waits for a URL or for the end of a pause. */
  dueAt: Date | null
  webhookUrl: string | null
  responseStatus: string | null
  responseBody: string | null
}

export type WebhookFilter = Days & {
  status?: WebhookStatus | undefined
  /** A transaction, by its id or its external reference. */
  reference?: string | undefined
  transactionId?: string | undefined
  externalReference?: string | undefined
  /** In place of days. */
  range?: IdRange
  /** The id of the last one of the page before. */
  after?: string | undefined
  limit: number
}

export const maxWebhookPage = 200

const columns = (sql: Sql): Fragment => sql`w.id, w.created_at as "createdAt", w.event, w.data,
  w.sequence, w.status, w.attempts, w.due_at as "dueAt", w.webhook_url as "webhookUrl",
  w.response_status as "responseStatus", w.response_body as "responseBody"`

/** One page, newest first. */
export async function listWebhooks(
  sql: Sql,
  owner: Owner & { timeZone: string },
  filter: WebhookFilter,
): Promise<WebhookRecord[]> {
  const { status, after, limit } = filter
  const range = filter.range ?? idRange(filter, owner.timeZone)
  if (after !== undefined && !(await findWebhook(sql, owner, after))) {
    throw validationError('after must be the id of a webhook.')
  }
  const page = { from: range.from, to: after !== undefined && after < range.to ? after : range.to }
  const named = namesOf(filter)
  const longest = sql.unsafe(String(maxWebhookPage))
  const { slot, accountId } = owner
  if (named.length > 0) {
    const transactionId = await transactionNamed(sql, owner, named)
    if (transactionId === undefined) return []
    const found = await sql<WebhookRecord[]>`
      select ${columns(sql)} from webhooks w
      where w.slot = ${slot} and w.transaction_id = ${transactionId}
        and w.account_id = ${accountId} and w.id >= ${page.from}::uuid and w.id < ${page.to}::uuid
        and (${status ?? null}::text is null or w.status = ${status ?? null})
      order by w.id desc limit ${longest}`
    return found.slice(0, limit)
  }
  // Whole keys are compared and ordered by, so that only one index has the order asked for.
  const key = (id: string) =>
    status === undefined
      ? sql`(${slot}::smallint, ${accountId}::uuid, ${id}::uuid)`
      : sql`(${slot}::smallint, ${accountId}::uuid, ${status}::text, ${id}::uuid)`
  const own = status === undefined ? 'w.account_id' : 'w.account_id, w.status'
  const order = own.replace(',', ' desc,')
  const found = await sql<WebhookRecord[]>`
    select ${columns(sql)} from webhooks w
    where (w.slot, ${sql.unsafe(own)}, w.id) >= ${key(page.from)}
      and (w.slot, ${sql.unsafe(own)}, w.id) < ${key(page.to)}
    order by w.slot desc, ${sql.unsafe(order)} desc, w.id desc
    limit ${longest}`
  return found.slice(0, limit)
}

type Name = { id?: string; reference?: string }

function namesOf({ reference, transactionId, externalReference }: WebhookFilter): Name[] {
  return [
    ...(reference === undefined ? [] : [{ id: reference, reference }]),
    ...(transactionId === undefined ? [] : [{ id: transactionId }]),
    ...(externalReference === undefined ? [] : [{ reference: externalReference }]),
  ]
}

/** The one transaction that all the names name. */
async function transactionNamed(
  sql: Sql,
  { slot, accountId }: Owner,
  names: readonly Name[],
): Promise<string | undefined> {
  const found = await Promise.all(
    names.map(async ({ id, reference }) => {
      const known = id !== undefined && slotOf(id) === slot ? id : null
      const [row] = await sql<{ id: string }[]>`
        (select t.id from transactions t
          where t.slot = ${slot} and t.id = ${known}::uuid and t.account_id = ${accountId})
        union all
        (select t.id from transactions t
          where t.slot = ${slot} and t.account_id = ${accountId}
            and t.external_reference = ${reference?.replaceAll('\0', '') ?? null}::text)
        limit 1`
      return row?.id
    }),
  )
  return found.every((id) => id === found[0]) ? found[0] : undefined
}

export async function readWebhook(sql: Sql, owner: Owner, id: string): Promise<WebhookRecord> {
  const record = await findWebhook(sql, owner, id)
  if (!record) throw new AppError('WEBHOOK_NOT_FOUND')
  return record
}

async function findWebhook(
  sql: Sql,
  { slot, accountId }: Owner,
  id: string,
): Promise<WebhookRecord | undefined> {
  if (slotOf(id) !== slot) return undefined
  const [record] = await sql<WebhookRecord[]>`
    select ${columns(sql)} from webhooks w
    where w.slot = ${slot} and w.id = ${id} and w.account_id = ${accountId}`
  return record
}

export type AttemptRecord = { at: Date; durationMs: number; status: string; answer: string }

/** Every try to deliver it, oldest first. */
export function readAttempts(sql: Sql, slot: number, id: string): Promise<AttemptRecord[]> {
  return sql<AttemptRecord[]>`
    select at, duration_ms as "durationMs", status, answer from (
      select id, at, duration_ms, status, answer from webhook_attempts
      where slot = ${slot} and webhook_id = ${id}
      union
      select attempt_id, attempted_at, attempt_ms, response_status, response_body from webhooks
      where slot = ${slot} and id = ${id} and attempt_id is not null
    ) attempts order by id limit 1000`
}

/** As the specification shows it. */
export function showWebhook(record: WebhookRecord) {
  const { id, createdAt, event, data, sequence, status } = record
  return {
    id,
    createdAt: createdAt.toISOString(),
    event,
    data: { ...data, sequence },
    response: { status: record.responseStatus ?? '', body: record.responseBody ?? '' },
    webhookUrl: record.webhookUrl ?? '',
    status,
  }
}
