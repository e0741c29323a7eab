import { LRUCache } from 'lru-cache'
import { announceChange } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Log } from '../log.ts'
import type { Endpoint } from './endpoints.ts'

/** Remembers since when nothing arrives at a receiver, and pauses it when that lasts for days. */
export type Health = {
  note(endpoint: Endpoint, arrived: boolean, nowMs: number): Promise<void>
}

/** A receiver that took something this recently is not down. */
const recentMs = 60_000
const remembered = 20_000

export function createHealth(db: Db, log: Log, pauseAfterMs: number): Health {
  const arrivals = new LRUCache<string, number>({ max: remembered })
  const writing = new Set<string>()

  async function write(endpoint: Endpoint, change: () => Promise<void>): Promise<void> {
    const { accountId } = endpoint
    if (writing.has(accountId)) return
    writing.add(accountId)
    try {
      await change()
    } catch (error) {
      // Nothing is lost by it: the next attempt notes it again.
      log.error({ err: error, accountId }, 'the health of a webhook endpoint was not noted')
    } finally {
      writing.delete(accountId)
    }
  }

  return {
    async note(endpoint, arrived, nowMs) {
      const { accountId, failingSince } = endpoint
      if (arrived) {
        arrivals.set(accountId, nowMs)
        if (failingSince) await write(endpoint, () => noteRecovery(db, accountId))
        return
      }
      if (nowMs - (arrivals.get(accountId) ?? Number.NEGATIVE_INFINITY) < recentMs) return
      arrivals.delete(accountId)
      if (!failingSince) {
        await write(endpoint, () => noteFailing(db, accountId, new Date(nowMs)))
      } else if (endpoint.target && nowMs - failingSince.getTime() >= pauseAfterMs) {
        await write(endpoint, async () => {
          const paused = await pause(db, accountId, new Date(nowMs))
          // For the owner: it shows in the profile and in `malipo webhooks status` as well.
          if (paused) log.warn({ accountId, failingSince }, 'a webhook endpoint is paused')
        })
      }
    },
  }
}

async function noteRecovery(db: Db, accountId: string): Promise<void> {
  await transaction(db, async (tx) => {
    await tx`update accounts set webhook_failing_since = null where id = ${accountId}`
    await announceChange(tx, `account:${accountId}`)
  })
}

async function noteFailing(db: Db, accountId: string, at: Date): Promise<void> {
  await transaction(db, async (tx) => {
    await tx`
      update accounts set webhook_failing_since = ${at}::timestamptz
      where id = ${accountId} and webhook_failing_since is null`
    await announceChange(tx, `account:${accountId}`)
  })
}

function pause(db: Db, accountId: string, at: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    const rows = await tx`
      update accounts set webhook_paused_at = ${at}::timestamptz
      where id = ${accountId} and webhook_paused_at is null and webhook_failing_since is not null
      returning id`
    await announceChange(tx, `account:${accountId}`)
    return rows.length > 0
  })
}
