import type { Sql } from '../db/pool.ts'
import type { Owner } from '../ledger/wallets.ts'
import { decimalFromMinor } from '../money/amounts.ts'
import { currencies } from '../money/currencies.ts'
import { type ActivityGroup, hourMs, readActivity } from './activity.ts'
import { firstId, lowestIdAt, startOfDayMs } from './days.ts'

export type Flow = {
  currency: string | null
  /** Those in which something moved, the busiest first. */
  currencies: string[]
  days: { day: string; in: string; out: string }[]
}

export type SuccessRow = {
  kind: 'charge' | 'payout'
  method: string
  rail: string
  successful: number
  failed: number
  pending: number
}

export type Activity = { flow: Flow; success: SuccessRow[] }

type Day = { day: string; groups: ActivityGroup[] }

/** Money in and out per day of the account, today included, and how payments ended. */
export async function readOverview(
  sql: Sql,
  owner: Owner & { timeZone: string },
  asked: { days: number; currency?: string | undefined },
  nowMs: number,
): Promise<Activity> {
  const days = await activityByDay(sql, owner, asked.days, nowMs)
  return { flow: flowOf(days, asked.currency), success: successOf(days) }
}

async function activityByDay(
  sql: Sql,
  owner: Owner & { timeZone: string },
  count: number,
  nowMs: number,
): Promise<Day[]> {
  const { timeZone } = owner
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  const dates = Array.from({ length: count }, (_, index) =>
    today.subtract({ days: count - 1 - index }),
  )
  const days = dates.map((date) => ({
    day: date.toString(),
    starts: hoursBetween(
      startOfDayMs(date, timeZone),
      startOfDayMs(date.add({ days: 1 }), timeZone),
    ),
  }))
  const starts = days.flatMap((day) => day.starts)
  const hours = await readActivity(sql, owner, starts, nowMs)
  const groupsAt = new Map(hours.map(({ startsMs, groups }) => [startsMs, groups]))
  return days.map(({ day, starts: own }) => ({
    day,
    groups: own.flatMap((ms) => groupsAt.get(ms) ?? []),
  }))
}

/** A day begins and ends with an hour of its own, wherever clocks are set. */
function hoursBetween(fromMs: number, toMs: number): number[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / hourMs) }, (_, n) => fromMs + n * hourMs)
}

const isIn = ({ kind }: ActivityGroup): boolean => kind !== 'payout'

function flowOf(days: readonly Day[], asked: string | undefined): Flow {
  const counts = new Map<string, number>()
  for (const { currency, successful } of days.flatMap(({ groups }) => groups)) {
    if (successful > 0) counts.set(currency, (counts.get(currency) ?? 0) + successful)
  }
  const busiest = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const moved = busiest.map(([code]) => code)
  const currency = currencies.find(({ code }) => code === asked)?.code ?? moved[0] ?? null
  return {
    currency,
    currencies: moved,
    days: days.map(({ day, groups }) => {
      const own = groups.filter((group) => group.currency === currency)
      const sum = (wanted: readonly ActivityGroup[]) =>
        currency === null
          ? '0'
          : decimalFromMinor(
              wanted.reduce((total, { amount }) => total + BigInt(amount), 0n),
              currency,
            )
      return { day, in: sum(own.filter(isIn)), out: sum(own.filter((group) => !isIn(group))) }
    }),
  }
}

function successOf(days: readonly Day[]): SuccessRow[] {
  const rows = new Map<string, SuccessRow>()
  for (const { kind, method, rail, ...counts } of days.flatMap(({ groups }) => groups)) {
    if (kind === 'reversal') continue
    const key = `${kind} ${method} ${rail}`
    const none = { kind, method, rail, successful: 0, failed: 0, pending: 0 }
    const row = rows.get(key) ?? none
    row.successful += counts.successful
    row.failed += counts.failed
    row.pending += counts.pending
    rows.set(key, row)
  }
  const ended = ({ successful, failed, pending }: SuccessRow) => successful + failed + pending
  return [...rows.values()].sort((a, b) => ended(b) - ended(a))
}

/** A payout that is open for longer than this wants a look. */
const stuckAfterMs = hourMs
/** So long after its deadline a charge should have ended. */
const lateAfterMs = 600_000
/** More are not counted: it is a sign, not a sum. */
export const maxCounted = 1_000

/** How many payouts are open for too long, and how many charges beyond their deadline. */
export async function countStuck(sql: Sql, owner: Owner, nowMs: number): Promise<number> {
  const { slot, accountId } = owner
  const before = lowestIdAt(nowMs - stuckAfterMs)
  const end = lowestIdAt(nowMs)
  const codes = currencies.map(({ code }) => code)
  const [row] = await sql<{ count: number }[]>`
    select least(count(*), ${maxCounted})::int as count
    from unnest(${codes}::text[]) as c(currency)
    cross join unnest(array['payout', 'charge']) as k(kind)
    cross join lateral (
      select t.id from transactions t
      where t.slot = ${slot}::smallint and t.account_id = ${accountId}::uuid
        and t.currency = c.currency and t.kind = k.kind and t.status = 'pending'
        and t.id >= ${firstId}::uuid
        and t.id < case k.kind when 'payout' then ${before}::uuid else ${end}::uuid end
        and (t.deadline_at is null
          or t.deadline_at < ${new Date(nowMs - lateAfterMs)}::timestamptz)
      order by t.id limit ${sql.unsafe(String(maxCounted))}
    ) stuck`
  return row!.count
}
