/** When to try again after a failure, and when to stop. */

const jitter = 0.2
const dayMs = 86_400_000
/** A receiver may ask for patience, but not for more than this. */
const maxRetryAfterMs = dayMs

export type RetryPlan = {
  /** The pauses after the first, second … attempt. */
  pausesMs: readonly number[]
  random(): number
}

/** The pause after that many attempts; none where they are spent. */
export function pauseAfter(
  { pausesMs, random }: RetryPlan,
  attempts: number,
  askedMs: number | undefined,
): number | undefined {
  const pauseMs = pausesMs[attempts - 1]
  if (pauseMs === undefined) return undefined
  // Spread, so that those which failed together do not come back together.
  const spreadMs = Math.floor(pauseMs * (1 + jitter * random()))
  return Math.max(spreadMs, Math.min(askedMs ?? 0, maxRetryAfterMs))
}

/** What a Retry-After header asks for: seconds or a date. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const untilMs = /GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - nowMs)
}
