import { type Loop, startLoop } from '../work/loop.ts'
import { createDispatch, type Dispatch, type DispatchParts } from './dispatch.ts'
import type { Endpoint } from './endpoints.ts'
import { claimDue, dueAccounts, maxClaim, setAside, type Wanted } from './queue.ts'

const everyMs = 200
const lookEveryMs = 100
/** Looking for accounts may take a tenth of the time at most, however many there are. */
const lookShare = 10
const leastShare = 16
const leaseMarginMs = 5_000

/** Sends what is due, many at once and each receiver at its own pace. */
export function startDeliveryWorker(parts: DispatchParts): Loop {
  const { db, clock, log, endpoints } = parts
  const leaseMs = 2 * parts.timeoutMs + leaseMarginMs
  /** Accounts that have something due, in the order they are served. */
  const ready = new Set<string>()
  const dispatch = createDispatch(parts, () => {
    if (ready.size > 0) loop.wake()
  })
  let lookedMs = Number.NEGATIVE_INFINITY
  let lookTookMs = 0
  let isAsked = true

  async function look(): Promise<void> {
    const startMs = performance.now()
    const isTooSoon = startMs - lookedMs < Math.max(lookEveryMs, lookTookMs * lookShare)
    if (isTooSoon && !isAsked) return
    isAsked = false
    lookedMs = startMs
    for (const accountId of await dueAccounts(db, clock.now())) ready.add(accountId)
    lookTookMs = performance.now() - startMs
  }

  async function pass(): Promise<void> {
    await look()
    if (ready.size === 0) return
    const found = await endpoints.find([...ready])
    const mute = [...ready].filter((id) => !found.get(id)?.target)
    for (const id of mute) ready.delete(id)
    if (mute.length > 0) await setAside(db, mute, clock.now())
    const wanted = shareRoom(ready, found, dispatch)
    if (wanted.length === 0) return
    const claimed = await claimDue(db, { wanted, nowMs: clock.now(), leaseMs })
    const byAccount = Map.groupBy(claimed, ({ accountId }) => accountId)
    for (const { accountId, room } of wanted) {
      ready.delete(accountId)
      // There may be more: it stands in line again, behind the others.
      if ((byAccount.get(accountId)?.length ?? 0) >= room) ready.add(accountId)
    }
    for (const delivery of claimed) {
      dispatch.take(delivery, found.get(delivery.accountId)!.target!.receiver)
    }
    // More only where the limit of a pass was reached: else room is waited for, and comes in bulk.
    if (claimed.length >= maxClaim) loop.wake()
  }

  const loop = startLoop({ name: 'webhooks', everyMs, log }, pass)
  return {
    wake() {
      isAsked = true
      loop.wake()
    },
    async stop() {
      await loop.stop()
      await dispatch.stop()
    },
  }
}

/** How many of each account to claim: as its receiver has room, a fair share of it first. */
function shareRoom(
  accountIds: ReadonlySet<string>,
  endpoints: ReadonlyMap<string, Endpoint>,
  dispatch: Dispatch,
): Wanted[] {
  const rooms = new Map<string, number>()
  const open = [...accountIds].flatMap((accountId) => {
    const { receiver } = endpoints.get(accountId)!.target!
    if (!rooms.has(receiver)) rooms.set(receiver, dispatch.room(receiver))
    return rooms.get(receiver)! > 0 ? [{ accountId, receiver, room: 0 }] : []
  })
  let left = maxClaim
  const fairShare = Math.max(leastShare, Math.floor(maxClaim / Math.max(1, open.length)))
  for (const share of [fairShare, maxClaim]) {
    for (const each of open) {
      const free = rooms.get(each.receiver)!
      const more = Math.max(0, Math.min(free, share, left))
      rooms.set(each.receiver, free - more)
      left -= more
      each.room += more
    }
  }
  return open.filter(({ room }) => room > 0)
}
