import type { Clock } from '../clock.ts'
import type { Db, Sql } from './pool.ts'

/**
 * Tells every node at once that something it may keep in memory has changed. A node that has heard
 * nothing for a while, not even a heartbeat, cannot know: it is then not live, and caches are
 * not to be trusted until it hears again.
 */
export type Changes = {
  isLive(): boolean
  /** The listener gets what changed, or `all` where anything may have been missed. */
  onChange(listener: (subject: string) => void): void
  stop(): Promise<void>
}

const channel = 'malipo_changes'
const heartbeat = 'heartbeat'
export const heartbeatMs = 2000
export const silenceLimitMs = 3 * heartbeatMs

/** To be called inside the transaction that makes the change, so that both happen or neither. */
export async function announceChange(sql: Sql, subject: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${subject})`
}

export async function followChanges(db: Db, clock: Clock): Promise<Changes> {
  const listeners: ((subject: string) => void)[] = []
  let heardMs = Number.NEGATIVE_INFINITY

  const isLive = () => clock.now() - heardMs <= silenceLimitMs
  const tell = (subject: string) => {
    for (const listener of listeners) listener(subject)
  }
  const hear = (subject: string) => {
    const missedSome = !isLive()
    heardMs = clock.now()
    if (missedSome) tell('all')
    else if (subject !== heartbeat) tell(subject)
  }
  const onListening = () => {
    heardMs = clock.now()
    tell('all')
  }
  const subscription = await db.listen(channel, hear, onListening, silenceLimitMs)
  const timer = setInterval(() => {
    announceChange(db, heartbeat).catch(() => {})
  }, heartbeatMs)
  timer.unref()

  return {
    isLive,
    onChange: (listener) => void listeners.push(listener),
    async stop() {
      clearInterval(timer)
      await subscription.unlisten().catch(() => {})
    },
  }
}
