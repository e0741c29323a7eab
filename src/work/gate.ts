import type { Clock } from '../clock.ts'

/**
 * How much may be asked of somebody at once and in a second, and whether to ask at all: after
 * several refusals in a row the gate closes for a while, then lets one through to see.
 */
export type Gate = {
  /** How many may start now. */
  room(): number
  start(): void
  /**
   * Whether it was reached at all; what it answered does not matter here. Nothing is concluded
   * where that is not known.
   */
  finish(reached: boolean | undefined): void
  isClosed(): boolean
}

export type GateLimits = { concurrency: number; perSecond: number }

const refusalsToClose = 5
const closedMs = 10_000

export function createGate(limits: GateLimits, clock: Clock): Gate {
  let running = 0
  let tokens = limits.perSecond
  let filledMs = clock.now()
  let refusals = 0
  let closedUntilMs = 0

  function refill(): void {
    const nowMs = clock.now()
    const gained = ((nowMs - filledMs) / 1000) * limits.perSecond
    tokens = Math.min(limits.perSecond, tokens + Math.max(0, gained))
    filledMs = nowMs
  }

  const isClosed = () => refusals >= refusalsToClose && clock.now() < closedUntilMs

  return {
    isClosed,
    room() {
      if (isClosed()) return 0
      refill()
      // After a pause one goes first: the others wait until it came through.
      const concurrency = refusals >= refusalsToClose ? 1 : limits.concurrency
      return Math.max(0, Math.min(concurrency - running, Math.floor(tokens)))
    },
    start() {
      running++
      tokens--
    },
    finish(reached) {
      running--
      if (reached === undefined) return
      refusals = reached ? 0 : refusals + 1
      if (!reached) closedUntilMs = clock.now() + closedMs
    },
  }
}
