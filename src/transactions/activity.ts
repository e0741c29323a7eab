import type { Clock } from '../clock.ts'
import type { Db, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { timeOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { firstId, lowestIdAt } from './days.ts'

/** What transactions of one sort come to: how many ended how, and what was moved. */
export type ActivityGroup = {
  kind: 'charge' | 'payout' | 'reversal'
  method: string
  rail: string
  currency: string
  successful: number
  failed: number
  pending: number
  /** Of the successful ones, in minor units as text. */
  amount: string
}

export type ActivityHour = { startsMs: number; groups: ActivityGroup[] }

export const hourMs = 3_600_000
/** Younger transactions may still be on their way to a commit. */
const settleMs = 300_000
/** No view looks further back. */
const keptMs = 100 * 24 * hourMs
/** So many hours are summed by one statement. */
const hoursAtOnce = 24

/**
 * What happened in the hours that begin at the given times. What is final stays, and no hour that
 * is over gets another transaction: its sums are kept, and hold while none of its pending ones has
 * ended. So a look costs the hours since the last one, not the transactions of a month.
 */
export async function readActivity(
  sql: Sql,
  owner: Owner,
  starts: readonly number[],
  nowMs: number,
): Promise<ActivityHour[]> {
  const kept = await keptHours(sql, owner, starts)
  const stale = await changedHours(sql, owner, [...kept.values()])
  const first = firstTransactionMs(await oldestId(sql, owner))
  const missing = starts.filter(
    (ms) => (!kept.has(ms) || stale.has(ms)) && ms + hourMs > first && ms <= nowMs,
  )
  for (const chunk of stretchesOf(missing)) {
    const hours = await sumHours(sql, owner, chunk)
    for (const hour of hours) kept.set(hour.startsMs, hour)
    await keep(
      sql,
      owner,
      hours.filter(({ startsMs }) => startsMs + hourMs + settleMs <= nowMs),
    )
  }
  return starts.map((startsMs) => kept.get(startsMs) ?? { startsMs, groups: [] })
}

async function keptHours(
  sql: Sql,
  { slot, accountId }: Owner,
  starts: readonly number[],
): Promise<Map<number, ActivityHour>> {
  const times = starts.map((ms) => new Date(ms))
  const rows = await sql<{ startsAt: Date; groups: ActivityGroup[] }[]>`
    select starts_at as "startsAt", groups from activity_hours
    where slot = ${slot} and account_id = ${accountId}
      and starts_at >= ${times[0] ?? null}::timestamptz
      and starts_at <= ${times.at(-1) ?? null}::timestamptz
      and starts_at = any(${times}::timestamptz[])`
  return new Map(
    rows.map(({ startsAt, groups }) => [
      startsAt.getTime(),
      { startsMs: startsAt.getTime(), groups },
    ]),
  )
}

type Waiting = { startsMs: number; kind: string; currency: string; pending: number }

const waitingColumns: UnnestColumns<Waiting> = {
  starts: ['bigint', ({ startsMs }) => startsMs],
  kind: ['text', ({ kind }) => kind],
  currency: ['text', ({ currency }) => currency],
  pending: ['int', ({ pending }) => pending],
  first_id: ['uuid', ({ startsMs }) => lowestIdAt(startsMs)],
  end_id: ['uuid', ({ startsMs }) => lowestIdAt(startsMs + hourMs)],
}

/** Those in which fewer are pending than when they were kept. */
async function changedHours(
  sql: Sql,
  { slot, accountId }: Owner,
  hours: readonly ActivityHour[],
): Promise<Set<number>> {
  const waiting = hours.flatMap(({ startsMs, groups }) => pendingOf(startsMs, groups))
  if (waiting.length === 0) return new Set()
  const rows = await sql<{ starts: bigint }[]>`
    select distinct w.starts from (${unnest(sql, 'w', waiting, waitingColumns)}) w
    cross join lateral (
      select count(*) as count from transactions t
      where t.slot = ${slot} and t.account_id = ${accountId} and t.currency = w.currency
        and t.kind = w.kind and t.status = 'pending' and t.id >= w.first_id and t.id < w.end_id
    ) left_over
    where left_over.count <> w.pending`
  return new Set(rows.map(({ starts }) => Number(starts)))
}

function pendingOf(startsMs: number, groups: readonly ActivityGroup[]): Waiting[] {
  const open = groups.filter(({ pending }) => pending > 0)
  return [...Map.groupBy(open, ({ kind, currency }) => `${kind} ${currency}`).values()].map(
    (same) => ({
      startsMs,
      kind: same[0]!.kind,
      currency: same[0]!.currency,
      pending: same.reduce((sum, { pending }) => sum + pending, 0),
    }),
  )
}

/** Before it there is nothing to sum, however far back somebody looks. */
async function oldestId(sql: Sql, { slot, accountId }: Owner): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select t.id from transactions t
    where (t.slot, t.account_id, t.id) >= (${slot}::smallint, ${accountId}::uuid, ${firstId}::uuid)
      and t.slot = ${slot} and t.account_id = ${accountId}
    order by t.slot, t.account_id, t.id limit 1`
  return row?.id
}

const firstTransactionMs = (id: string | undefined): number =>
  id === undefined ? Number.POSITIVE_INFINITY : timeOf(id)

/** Neighbouring hours go together, but never too many of them. */
function stretchesOf(starts: readonly number[]): number[][] {
  const stretches: number[][] = []
  for (const ms of starts) {
    const last = stretches.at(-1)
    if (last && last.at(-1)! + hourMs === ms && last.length < hoursAtOnce) last.push(ms)
    else stretches.push([ms])
  }
  return stretches
}

type SumRow = Omit<ActivityGroup, 'rail'> & { rail: string | null; hour: number }

export function sumQuery(sql: Sql, { slot, accountId }: Owner, fromMs: number, toMs: number) {
  // The time in the id, by which it was found, and not created_at, which may differ by a little.
  const ms = sql`('x' || substr(t.id::text, 1, 8) || substr(t.id::text, 10, 4))::bit(48)::bigint`
  return sql<SumRow[]>`
    select ((${ms} - ${fromMs}::bigint) / ${sql.unsafe(String(hourMs))})::int as hour,
      t.kind, t.method, t.rail, t.currency,
      count(*) filter (where t.status = 'successful')::int as successful,
      count(*) filter (where t.status = 'failed')::int as failed,
      count(*) filter (where t.status = 'pending')::int as pending,
      coalesce(sum(t.amount) filter (where t.status = 'successful'), 0)::text as amount
    from transactions t
    where t.slot = ${slot} and t.account_id = ${accountId}
      and t.id >= ${lowestIdAt(fromMs)}::uuid and t.id < ${lowestIdAt(toMs)}::uuid
    group by 1, 2, 3, 4, 5`
}

async function sumHours(
  sql: Sql,
  owner: Owner,
  starts: readonly number[],
): Promise<ActivityHour[]> {
  const rows = await sumQuery(sql, owner, starts[0]!, starts.at(-1)! + hourMs)
  const byHour = Map.groupBy(rows, ({ hour }) => hour)
  return starts.map((startsMs, index) => ({
    startsMs,
    groups: (byHour.get(index) ?? []).map(({ hour: _hour, rail, ...group }) => ({
      ...group,
      rail: rail ?? '',
    })),
  }))
}

async function keep(
  sql: Sql,
  { slot, accountId }: Owner,
  hours: readonly ActivityHour[],
): Promise<void> {
  if (hours.length === 0) return
  await sql`
    insert into activity_hours (slot, account_id, starts_at, groups)
    select ${slot}, ${accountId}, h.starts_at, h.groups
    from (${unnest(sql, 'h', hours, {
      starts_at: ['timestamptz', ({ startsMs }) => new Date(startsMs)],
      groups: ['jsonb', ({ groups }) => JSON.stringify(groups)],
    })}) h
    on conflict (slot, account_id, starts_at) do update set groups = excluded.groups`
}

/** Removes the sums that nobody asks for any more, now and then. */
export function startActivitySweep(db: Db, clock: Clock, log: Log): Loop {
  return startLoop({ name: 'activity sweep', everyMs: hourMs, log }, () =>
    sweepActivity(db, clock.now()),
  )
}

export async function sweepActivity(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from activity_hours where starts_at < ${new Date(nowMs - keptMs)}::timestamptz`
}
