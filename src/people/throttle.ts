import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'

/** Who tries: the email that is tried, and where from. */
export type Attempt = { email: string; ip: string }

const countMs = 15 * 60_000
export const maxPerEmail = 10
/** More than one person may sit behind one address. */
export const maxPerAddress = 100

/**
 * Counts an attempt before it is judged, so that many at once cannot pass together. The count is
 * in the database: it holds for all nodes and outlives a start.
 */
export async function countAttempt(
  { db, clock }: { db: Sql; clock: Clock },
  attempt: Attempt,
): Promise<void> {
  // An address that is refused must not go on to shut out the people it tries.
  await count(db, clock.now(), addressKey(attempt), maxPerAddress)
  await count(db, clock.now(), emailKey(attempt), maxPerEmail)
}

/** An attempt that succeeded was none. */
export async function forgive(tx: Sql, attempt: Attempt): Promise<void> {
  await tx`delete from login_attempts where key = ${emailKey(attempt)}`
  await tx`
    update login_attempts set attempts = greatest(attempts - 1, 0)
    where key = ${addressKey(attempt)}`
}

async function count(db: Sql, nowMs: number, key: string, max: number): Promise<void> {
  const now = new Date(nowMs)
  const [row] = await db<{ attempts: number; endsAt: Date }[]>`
    insert into login_attempts as a (key, attempts, ends_at)
    values (${key}, 1, ${new Date(nowMs + countMs)})
    on conflict (key) do update set
      attempts = case when a.ends_at <= ${now} then 1 else least(a.attempts, ${max}) + 1 end,
      ends_at = case when a.ends_at <= ${now} then excluded.ends_at else a.ends_at end
    returning attempts, ends_at as "endsAt"`
  if (row!.attempts <= max) return
  throw new AppError('RATE_LIMITED', {
    message: 'Too many attempts. Wait as long as the Retry-After header says.',
    retryAfterSeconds: Math.max(1, Math.ceil((row!.endsAt.getTime() - nowMs) / 1000)),
  })
}

function emailKey({ email }: Attempt): string {
  return `email:${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`
}

/** Of IPv6 a whole network belongs to one customer, who could use a new address each time. */
function addressKey({ ip }: Attempt): string {
  return `address:${isIPv6(ip) ? networkOf(ip) : ip}`
}

const groupsOfNetwork = 4
const groupsOfAddress = 8

function networkOf(ip: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = ip.replace(/%.*$/, '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  while (tail !== undefined && groups.length + last.length < groupsOfAddress) groups.push('0')
  return [...groups, ...last]
    .slice(0, groupsOfNetwork)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
