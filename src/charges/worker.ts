import type { Log } from '../log.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import type { Charge } from './charge.ts'
import { applyHeard, type ChargeParts } from './outcomes.ts'
import { askAboutCharge, attemptOf, noSecrets, sendCharge } from './send.ts'
import { type Claimed, claimDue, readCharge } from './store.ts'

const leaseMs = 60_000
const everyMs = 250
const maxAtOnce = 128

/** Sends what is due, asks about what is open, and ends what nobody completed in time. */
export function startChargeWorker(parts: ChargeParts, log: Log): Loop {
  const running = new Set<Promise<void>>()
  const loop = startLoop({ name: 'charges', everyMs, log }, async () => {
    const limit = maxAtOnce - running.size
    if (limit <= 0) return
    for (const claimed of await claimDue(parts.db, { nowMs: parts.clock.now(), leaseMs, limit })) {
      const work = attendCharge(parts, claimed)
        .catch((error) => {
          // The lease ends by itself, and then the rail is asked.
          log.error({ err: error, transactionId: claimed.charge.id }, 'a charge was not attended')
        })
        .then(() => {
          running.delete(work)
          loop.wake()
        })
      running.add(work)
    }
  })
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      await Promise.all(running)
    },
  }
}

/** One pass over everything due, for tests that drive the clock themselves. */
export async function attendDueCharges(parts: ChargeParts): Promise<number> {
  const claimed = await claimDue(parts.db, { nowMs: parts.clock.now(), leaseMs, limit: maxAtOnce })
  await Promise.all(claimed.map((one) => attendCharge(parts, one)))
  return claimed.length
}

async function attendCharge(parts: ChargeParts, claimed: Claimed): Promise<void> {
  const { charge, found, leasedUntilMs } = claimed
  const rail = parts.routing.byName(charge.rail)
  if (!rail?.charges) return
  const nowMs = parts.clock.now()
  const isOver = nowMs >= charge.deadlineAt.getTime()
  if (found === 'accepted' && !isOver) {
    // A worker that slept through its lease must not send: another may be asking already.
    if (nowMs + rail.limits.timeoutMs > leasedUntilMs) return
    await sendCharge(parts, rail, charge, noSecrets)
    return
  }
  if (found !== 'accepted') await askAboutCharge(parts, rail, charge, rail.limits.timeoutMs)
  if (isOver) await expire(parts, charge)
}

/** The deadline has come, and the rail has just been asked a last time. */
async function expire(parts: ChargeParts, charge: Charge): Promise<void> {
  const current = await readCharge(parts.db, charge.slot, charge.id)
  if (!current || (await hasNewsWaiting(parts, current))) return
  const said = { kind: 'expired', said: 'nobody completed it in time' }
  const attempt = attemptOf(parts, current, 'deadline', said, parts.clock.now())
  await applyHeard(parts, current, { event: 'expired', reason: 'expired', attempt })
}

/** What came in time counts, also where nobody was there to read it: it is read first. */
async function hasNewsWaiting({ db }: ChargeParts, charge: Charge): Promise<boolean> {
  const { slot, id, rail, accountNumber, method, deadlineAt } = charge
  const rows = await db`
    select 1 from rail_callbacks
    where handled_at is null and direction = 'charge' and rail = ${rail}
      and received_at < ${deadlineAt}
      and ((slot = ${slot} and transaction_id = ${id})
        or (${method} = 'bank' and account_number = ${accountNumber}))
    limit 1`
  return rows.length > 0
}
