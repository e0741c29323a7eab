import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { announceChange, type Changes } from '../db/changes.ts'
import type { Db, Sql, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Ids } from '../ids.ts'
import type { SignedIn } from './person.ts'
import { hashSecret, newSecret, secretShape } from './secrets.ts'

export const idleLimitMs = 12 * 3_600_000
export const sessionLimitMs = 7 * 24 * 3_600_000
const maxSessionsPerPerson = 20
const cachedSessions = 10_000
/** A session that is in use is looked at this often, and its last use is written then. */
const lookEveryMs = 60_000
const maxUserAgentLength = 200

export type Caller = { ip: string; userAgent: string }

export type Sessions = {
  /** Who the token belongs to, or nobody. */
  find(token: string | undefined): Promise<SignedIn | undefined>
  /** A new session of the person, inside the transaction that let them in. */
  begin(tx: Tx, personId: string, caller: Caller): Promise<{ id: string; token: string }>
  end(sessionId: string): Promise<void>
  /**
   * Drops what this node keeps of a person or a session. The feed tells the others, and would tell
   * this one too, but whoever made the change should see it with the next request.
   */
  forget(id: string): void
  /** Answers with how many were ended. */
  endOthers(person: Pick<SignedIn, 'personId' | 'sessionId'>): Promise<number>
}

type Found = SignedIn & { lookAgainMs: number }
type Parts = { db: Db; clock: Clock; ids: Ids; changes: Changes }

export function createSessions({ db, clock, ids, changes }: Parts): Sessions {
  const cache = new LRUCache<string, Found>({ max: cachedSessions })
  let generation = 0
  changes.onChange((subject) => {
    if (subject === 'all') cache.clear()
    const [kind, id = ''] = subject.split(':')
    if (kind === 'person' || kind === 'session') forget(id)
    generation++
  })

  function forget(id: string): void {
    generation++
    for (const [token, { personId, sessionId }] of cache.entries()) {
      if (personId === id || sessionId === id) cache.delete(token)
    }
  }

  async function find(token: string | undefined): Promise<SignedIn | undefined> {
    if (token === undefined || !secretShape.test(token)) return undefined
    const cached = changes.isLive() ? cache.get(token) : undefined
    if (cached && cached.lookAgainMs > clock.now()) return cached
    const before = generation
    const found = await look(db, token, clock.now())
    // A change that arrived meanwhile may be about this very session.
    if (found && generation === before && changes.isLive()) cache.set(token, found)
    return found
  }

  async function begin(tx: Tx, personId: string, { ip, userAgent }: Caller) {
    const id = ids.next(0)
    const token = newSecret()
    const now = clock.now()
    await tx`
      insert into sessions (id, person_id, token_hash, ip, user_agent, created_at, seen_at, ends_at)
      values (${id}, ${personId}, ${hashSecret(token)}, ${ip},
        ${userAgent.slice(0, maxUserAgentLength)}, ${new Date(now)}, ${new Date(now)},
        ${new Date(now + sessionLimitMs)})`
    await tx`update people set last_seen_at = ${new Date(now)} where id = ${personId}`
    await endBeyond(tx, personId)
    return { id, token }
  }

  return {
    find,
    begin,
    forget,
    async end(sessionId) {
      await transaction(db, async (tx) => {
        await tx`delete from sessions where id = ${sessionId}`
        await announceChange(tx, `session:${sessionId}`)
      })
      forget(sessionId)
    },
    async endOthers({ personId, sessionId }) {
      const ended = await transaction(db, (tx) => endSessionsOf(tx, personId, sessionId))
      forget(personId)
      return ended
    },
  }
}

/** Ends the sessions of a person, but for one that may go on. */
export async function endSessionsOf(
  tx: Tx,
  personId: string,
  exceptId: string | null,
): Promise<number> {
  const ended = await tx`
    delete from sessions where person_id = ${personId} and id is distinct from ${exceptId}::uuid
    returning id`
  await announceChange(tx, `person:${personId}`)
  return ended.length
}

/** Of too many sessions the oldest end. */
async function endBeyond(tx: Tx, personId: string): Promise<void> {
  const ended = await tx<{ id: string }[]>`
    delete from sessions where id in (
      select id from sessions where person_id = ${personId}
      order by id desc offset ${maxSessionsPerPerson})
    returning id`
  for (const { id } of ended) await announceChange(tx, `session:${id}`)
}

/** Reads the session, and writes its use where the last one on record is a while ago. */
async function look(db: Sql, token: string, nowMs: number): Promise<Found | undefined> {
  const [row] = await db<(SignedIn & { seenAt: Date; endsAt: Date })[]>`
    select s.id as "sessionId", p.id as "personId", p.merchant_id as "merchantId", p.email, p.name,
      p.role, p.time_zone as "timeZone", s.seen_at as "seenAt", s.ends_at as "endsAt"
    from sessions s join people p on p.id = s.person_id
    where s.token_hash = ${hashSecret(token)} and p.disabled_at is null`
  if (!row) return undefined
  const { seenAt, endsAt, ...person } = row
  const endsMs = Math.min(endsAt.getTime(), seenAt.getTime() + idleLimitMs)
  if (endsMs <= nowMs) return undefined
  if (nowMs - seenAt.getTime() >= lookEveryMs) {
    const now = new Date(nowMs)
    await db`
      with seen as (
        update sessions set seen_at = greatest(seen_at, ${now}) where id = ${person.sessionId})
      update people set last_seen_at = greatest(last_seen_at, ${now}) where id = ${person.personId}`
  }
  return { ...person, lookAgainMs: Math.min(nowMs + lookEveryMs, endsAt.getTime()) }
}
