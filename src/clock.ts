/** Time as the program sees it. Tests pass their own, so that nothing has to sleep. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

export function manualClock(startMs: number): Clock & { advance(ms: number): void } {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
