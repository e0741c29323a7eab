import type { Db, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { bodyColumn, type Delivery } from './delivery.ts'

/** The row is the job: what is due, whose it is now, and giving it back. */

/** As many as one pass takes; the planner has to see that it is few. */
export const maxClaim = 512
const maxAccounts = 10_000

/**
 * The accounts that have something due. It jumps through the index from account to account, so a
 * long queue of one costs no more than a single event of another.
 */
export async function dueAccounts(db: Db, nowMs: number): Promise<string[]> {
  const rows = await db<{ accountId: string }[]>`
    with recursive found as (
      (select account_id, due_at from webhooks where due_at is not null
        order by account_id, due_at limit 1)
      union all
      select next.account_id, next.due_at from found cross join lateral (
        select w.account_id, w.due_at from webhooks w
        where w.due_at is not null and w.account_id > found.account_id
        order by w.account_id, w.due_at limit 1
      ) next
    )
    select account_id as "accountId" from found
    where due_at <= ${new Date(nowMs)}::timestamptz
    limit ${maxAccounts}`
  return rows.map(({ accountId }) => accountId)
}

/** How many of an account are wanted. */
export type Wanted = { accountId: string; room: number }

const wantedColumns: UnnestColumns<Wanted> = {
  account_id: ['uuid', ({ accountId }) => accountId],
  room: ['int', ({ room }) => room],
}

/**
 * Takes the oldest due events of each account for the time of a lease. What is locked stays where
 * it is, so its place finds it again; one that moved meanwhile is left to the next pass.
 */
export async function claimDue(
  db: Db,
  { wanted, nowMs, leaseMs }: { wanted: readonly Wanted[]; nowMs: number; leaseMs: number },
): Promise<Delivery[]> {
  const leasedUntilMs = nowMs + leaseMs
  const now = new Date(nowMs)
  const lease = new Date(leasedUntilMs)
  const rows = await db<Delivery[]>`
    update webhooks w set leased_until = ${lease}::timestamptz
    from (
      select due.place from (${unnest(db, 'wanted', wanted, wantedColumns)}) wanted
      cross join lateral (
        select d.ctid as place from webhooks d
        where d.account_id = wanted.account_id and d.due_at <= ${now}::timestamptz
          and (d.leased_until is null or d.leased_until <= ${now}::timestamptz)
        order by d.due_at, d.id limit wanted.room
        for update skip locked
      ) due
      limit ${db.unsafe(String(maxClaim))}
    ) due
    where w.ctid = due.place
    returning w.slot, w.id, w.account_id as "accountId", w.transaction_id as "transactionId",
      w.sequence, w.attempts, w.attempt_id is not null as "wasTried", w.at_once as "atOnce",
      ${bodyColumn(db)} as body,
      w.sequence > 1 and not w.at_once and exists (
        select from webhooks e
        where e.slot = w.slot and e.transaction_id = w.transaction_id
          and e.sequence < w.sequence and ${isAhead(db)}
      ) as "isBlocked"`
  for (const row of rows) row.leasedUntilMs = leasedUntilMs
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** An event that those after it wait for. */
const isAhead = (sql: Sql) => sql`e.status = 'CREATED' and e.due_at is not null and not e.at_once`

export type Held = Pick<Delivery, 'slot' | 'id' | 'leasedUntilMs'>

const heldColumns: UnnestColumns<Held> = {
  slot: ['smallint', ({ slot }) => slot],
  id: ['uuid', ({ id }) => id],
  lease: ['timestamptz', ({ leasedUntilMs }) => new Date(leasedUntilMs)],
}

/** Gives claimed events back unsent: due when the last one before them can be, or at once. */
export async function giveBack(sql: Sql, held: readonly Held[], nowMs: number): Promise<void> {
  await sql`
    update webhooks w set leased_until = null,
      due_at = case when w.at_once then ${new Date(nowMs)}::timestamptz else coalesce((
        select max(greatest(e.due_at, e.leased_until)) from webhooks e
        where e.slot = w.slot and e.transaction_id = w.transaction_id
          and e.sequence < w.sequence and ${isAhead(sql)}
      ), ${new Date(nowMs)}::timestamptz) end
    from (${unnest(sql, 'held', held, heldColumns)}) held
    where w.slot = held.slot and w.id = held.id and w.leased_until = held.lease
      and w.due_at is not null`
}

/**
 * Sets aside what is due to accounts that nothing can be sent to. The lock on the account makes
 * this wait for a URL that is just being set, so that no event is set aside after it.
 */
export async function setAside(
  db: Db,
  accountIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await db.begin(async (tx) => {
    const mute = await tx<{ id: string }[]>`
      select id from accounts
      where id = any(${accountIds}::uuid[])
        and (webhook_url is null or webhook_paused_at is not null)
      order by id for share`
    await tx`
      update webhooks set due_at = null, leased_until = null
      where account_id = any(${mute.map(({ id }) => id)}::uuid[])
        and due_at <= ${new Date(nowMs)}::timestamptz`
  })
}
