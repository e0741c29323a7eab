import type { Log } from '../log.ts'
import type { Rail } from '../rails/rail.ts'
import { createGate, type Gate } from '../work/gate.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { attend } from './attend.ts'
import type { OutcomeParts } from './outcomes.ts'
import { type Claimed, claimDue } from './store.ts'

export type WorkerOptions = { leaseMs?: number; everyMs?: number }

const defaultLeaseMs = 60_000
const defaultEveryMs = 250
const maxClaim = 256

/** Sends what is due and asks about what is open, as fast as each rail allows. */
export function startPayoutWorker(
  parts: OutcomeParts,
  log: Log,
  options: WorkerOptions = {},
): Loop {
  const { leaseMs = defaultLeaseMs, everyMs = defaultEveryMs } = options
  const rails = parts.routing.all().filter(({ payouts }) => payouts !== undefined)
  const gates = new Map(rails.map((rail) => [rail, createGate(rail.limits, parts.clock)]))
  const running = new Set<Promise<void>>()

  const loop = startLoop({ name: 'payouts', everyMs, log }, async () => {
    for (const [rail, gate] of gates) {
      const limit = Math.min(gate.room(), maxClaim)
      if (limit === 0) continue
      const nowMs = parts.clock.now()
      const claimed = await claimDue(parts.db, { rails: [rail.name], nowMs, leaseMs, limit })
      for (const one of claimed) run(rail, gate, one)
    }
  })

  function run(rail: Rail, gate: Gate, claimed: Claimed): void {
    gate.start()
    const work = attend(parts, rail, claimed)
      .catch((error) => {
        // The lease ends by itself, and then the rail is asked: nothing is lost by letting go.
        log.error(
          { err: error, transactionId: claimed.payout.id },
          'a payout could not be attended',
        )
        return undefined
      })
      .then((reached) => {
        gate.finish(reached)
        running.delete(work)
        loop.wake()
      })
    running.add(work)
  }

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      await Promise.all(running)
    },
  }
}

/** One pass over everything due, for tests that drive the clock themselves. */
export async function attendDue(parts: OutcomeParts, leaseMs = defaultLeaseMs): Promise<number> {
  let attended = 0
  for (const rail of parts.routing.all()) {
    const nowMs = parts.clock.now()
    const due = { rails: [rail.name], nowMs, leaseMs, limit: maxClaim }
    const claimed = await claimDue(parts.db, due)
    await Promise.all(claimed.map((one) => attend(parts, rail, one)))
    attended += claimed.length
  }
  return attended
}
