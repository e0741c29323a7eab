import { PassThrough, type Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { changedBatches } from '../../batches/watch.ts'
import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { lowestIdAt } from '../../transactions/days.ts'
import { recentEvents } from '../../webhooks/recent.ts'
import { type Loop, startLoop } from '../../work/loop.ts'

/** Tells browsers at once what happens in the account they look at. */
export type LiveEvents = {
  /** A stream that ends when its reader goes away, or when the service stops. */
  follow(listener: { accountId: string; slot: number; personId: string }): Readable
  close(): Promise<void>
}

const everyMs = 500
const pingEveryMs = 20_000
/** Then the browser comes again, and is asked again who it is. */
const maxStreamMs = 900_000
/** Ids carry the time they were made; their commit may come so much later. */
const overlapMs = 5_000
const maxPerPerson = 12
const maxListeners = 5_000
/** A reader this far behind has gone to sleep: it is let go, and comes back by itself. */
const maxBehindBytes = 256 * 1024
const rememberedEvents = 20_000

type Listener = { stream: PassThrough; personId: string; sinceMs: number; pingedMs: number }
type Watched = { slot: number; accountId: string; sinceMs: number; listeners: Set<Listener> }
type Parts = { db: Db; clock: Clock; log: Log }

/** One look at the database for all listeners of this node, and none while there are none. */
export function createLiveEvents({ db, clock, log }: Parts): LiveEvents {
  const accounts = new Map<string, Watched>()
  const seen = new LRUCache<string, true>({ max: rememberedEvents })
  let loop: Loop | undefined
  let isClosed = false

  const listeners = () => [...accounts.values()].flatMap((one) => [...one.listeners])

  async function look(): Promise<void> {
    const watched = [...accounts.values()]
    if (watched.length === 0) return
    const nowMs = clock.now()
    for (const { accountId, key, event, data } of await newsOf(db, watched)) {
      if (seen.has(key)) continue
      seen.set(key, true)
      for (const each of accounts.get(accountId)?.listeners ?? []) send(each, event, data)
    }
    for (const one of watched) one.sinceMs = nowMs
    for (const listener of listeners()) {
      if (nowMs - listener.sinceMs > maxStreamMs) listener.stream.end()
      if (nowMs - listener.pingedMs < pingEveryMs) continue
      listener.pingedMs = nowMs
      send(listener, 'ping', {})
    }
  }

  /** A person who opens too many gives up the oldest. */
  function makeRoom(personId: string): void {
    const all = listeners()
    const own = all.filter((each) => each.personId === personId)
    if (isClosed || all.length >= maxListeners) throw new AppError('SERVICE_UNAVAILABLE')
    if (own.length >= maxPerPerson) own[0]!.stream.end()
  }

  return {
    follow({ accountId, slot, personId }) {
      makeRoom(personId)
      const nowMs = clock.now()
      const none = { slot, accountId, sinceMs: nowMs, listeners: new Set<Listener>() }
      const watched = accounts.get(accountId) ?? none
      const stream = new PassThrough()
      const listener = { stream, personId, sinceMs: nowMs, pingedMs: nowMs }
      watched.listeners.add(listener)
      accounts.set(accountId, watched)
      stream.once('close', () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0) accounts.delete(accountId)
      })
      send(listener, 'ping', {})
      loop ??= startLoop({ name: 'live events', everyMs, log }, look)
      return stream
    },
    async close() {
      isClosed = true
      for (const { stream } of listeners()) stream.end()
      await loop?.stop()
    },
  }
}

type News = { accountId: string; key: string; event: string; data: object }

/** What happened in these accounts lately. The same may be there again at the next look. */
async function newsOf(db: Db, watched: readonly Watched[]): Promise<News[]> {
  const wanted = watched.map((one) => ({ ...one, sinceId: lowestIdAt(one.sinceMs - overlapMs) }))
  const oldestMs = Math.min(...watched.map(({ sinceMs }) => sinceMs)) - overlapMs
  const [events, batches] = await Promise.all([
    recentEvents(db, wanted),
    changedBatches(db, watched, new Date(oldestMs)),
  ])
  return [
    ...events.map(({ accountId, id: key, transactionId: id, kind, status, sequence }) => ({
      ...{ accountId, key, event: 'transaction', data: { id, kind, status, sequence } },
    })),
    ...batches.map(({ accountId, id, updatedAt }) => ({
      ...{ accountId, key: `${id} ${updatedAt.getTime()}`, event: 'batch', data: { id } },
    })),
  ]
}

function send({ stream }: Listener, event: string, data: object): void {
  if (stream.writableEnded) return
  if (stream.writableLength > maxBehindBytes) stream.destroy()
  else stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}
