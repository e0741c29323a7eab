import type { Clock } from '../clock.ts'
import { createGroupCommit } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import { createChains } from './chains.ts'
import type { Delivery, Reply } from './delivery.ts'
import { type Endpoint, type Endpoints, validKeys } from './endpoints.ts'
import { createHealth } from './health.ts'
import { createLanes } from './lanes.ts'
import { giveBack, type Held, maxClaim } from './queue.ts'
import type { Result, Results } from './results.ts'
import { pauseAfter, type RetryPlan, retryAfterMs } from './retry.ts'
import type { Sender } from './send.ts'
import { signedHeaders } from './sign.ts'

export type DispatchParts = {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  endpoints: Endpoints
  results: Results
  sender: Sender
  retries: RetryPlan
  timeoutMs: number
  maxPerReceiver: number
  pauseAfterMs: number
  onAttempt?(reply: Reply): void
}

/** What is in hand: each event on its way to its receiver, or waiting for one before it. */
export type Dispatch = {
  room(receiver: string): number
  take(delivery: Delivery, receiver: string): void
  /** Finishes what is on its way, for a while, and gives the rest back. */
  stop(): Promise<void>
}

const maxInFlight = 1000
const maxReturned = 20_000
const stopGraceMs = 3_000

export function createDispatch(parts: DispatchParts, onRoom: () => void): Dispatch {
  const { db, clock, log, sender } = parts
  const health = createHealth(db, log, parts.pauseAfterMs)
  const chains = createChains()
  const returns = createGroupCommit<Held, void>({
    maxBatch: maxClaim,
    maxQueued: maxReturned,
    async commit(held) {
      await giveBack(db, held, clock.now())
      return held.map(() => undefined)
    },
  })
  const lanes = createLanes<Delivery>({
    maxPerReceiver: parts.maxPerReceiver,
    maxInFlight,
    onRoom,
    run: (delivery, free) =>
      deliver(delivery, free).catch((error) => {
        log.error({ err: error, webhookId: delivery.id }, 'an event could not be delivered')
        release(chains.leave(delivery, false).others)
      }),
  })

  function release(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      // Where this fails the lease ends by itself.
      returns.submit(delivery).catch((error) => log.error({ err: error }, 'events not given back'))
    }
  }

  async function deliver(delivery: Delivery, free: (isFit: boolean) => void): Promise<void> {
    const { accountId } = delivery
    const { endpoints } = parts
    const endpoint = endpoints.peek(accountId) ?? (await endpoints.find([accountId])).get(accountId)
    const target = endpoint?.target
    const startedMs = clock.now()
    // One that waited through its lease must not be sent: another worker may have it already.
    const isLate = startedMs + parts.timeoutMs > delivery.leasedUntilMs
    const reply = target && !isLate ? await attempt(parts, delivery, endpoint) : undefined
    if (!target || !reply) {
      free(!isLate)
      return release([delivery, ...chains.leave(delivery, false).others])
    }
    free(reply.isFit)
    parts.onAttempt?.(reply)
    const result = resultOf(parts, delivery, target.url, reply, startedMs)
    const applied = await parts.results.submit(result)
    const { next, others } = chains.leave(delivery, applied && result.status !== 'CREATED')
    if (next) lanes.add(target.receiver, next)
    release(others)
    await health.note(endpoint, reply.ok, clock.now())
  }

  return {
    room: (receiver) => lanes.room(receiver) - chains.waitingFor(receiver),
    take(delivery, receiver) {
      const place = chains.enter(delivery, receiver)
      if (place === 'first') lanes.add(receiver, delivery)
      else if (place === 'elsewhere') release([delivery])
    },
    async stop() {
      release([...lanes.empty(), ...chains.empty()])
      const grace = setTimeout(() => void sender.stop(), stopGraceMs)
      await lanes.idle()
      clearTimeout(grace)
      await returns.close()
    },
  }
}

const unsigned: Reply = {
  ok: false,
  status: 'unsigned',
  text: 'There is no valid secret to sign with: rotate the secret.',
  isFit: true,
}

/** Signed anew each time, so that a receiver can tell an old message from a late one. */
function attempt(
  { clock, sender }: DispatchParts,
  { id, body }: Delivery,
  endpoint: Endpoint,
): Reply | Promise<Reply | undefined> {
  const nowMs = clock.now()
  const keys = validKeys(endpoint, nowMs)
  if (keys.length === 0) return unsigned
  const { environment, target } = endpoint
  const { origin, path } = target!
  const headers = signedHeaders(keys, id, body, nowMs)
  return sender.post(environment, { method: 'POST', origin, path, headers, body })
}

function resultOf(
  { clock, ids, retries }: DispatchParts,
  delivery: Delivery,
  url: string,
  reply: Reply,
  startedMs: number,
): Result {
  const nowMs = clock.now()
  const asked = retryAfterMs(reply.retryAfter, nowMs)
  const pauseMs = reply.ok ? undefined : pauseAfter(retries, delivery.attempts + 1, asked)
  return {
    ...{ delivery, url, reply, startedMs },
    attemptId: ids.next(delivery.slot),
    status: reply.ok ? 'SUCCESS' : pauseMs === undefined ? 'FAILED' : 'CREATED',
    nextDueMs: pauseMs === undefined ? null : nowMs + pauseMs,
    durationMs: Math.max(0, Math.floor(nowMs - startedMs)),
  }
}
