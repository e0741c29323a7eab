import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { quoteName } from './query.ts'

export type ListenHandle = { unlisten(): Promise<void> }

const firstPauseMs = 50
const maxPauseMs = 1000

/** Hears a channel on a connection of its own, and connects anew for as long as nobody stops it. */
export async function listen(
  settings: pg.ClientConfig,
  channel: string,
  onMessage: (payload: string) => void,
  onListening: () => void,
): Promise<ListenHandle> {
  const abort = new AbortController()
  let client = await openListener(settings, channel, onMessage, onListening)

  async function follow(): Promise<void> {
    for (let pauseMs = firstPauseMs; !abort.signal.aborted; ) {
      await client.lost
      if (abort.signal.aborted) return
      try {
        await sleep(pauseMs, undefined, { signal: abort.signal })
        client = await openListener(settings, channel, onMessage, onListening)
        pauseMs = firstPauseMs
      } catch {
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
    }
  }
  const following = follow()

  return {
    async unlisten() {
      abort.abort()
      await client.end()
      await following
    },
  }
}

type Listener = { lost: Promise<void>; end(): Promise<void> }

async function openListener(
  settings: pg.ClientConfig,
  channel: string,
  onMessage: (payload: string) => void,
  onListening: () => void,
): Promise<Listener> {
  const client = new pg.Client({ ...settings, statement_timeout: 0 })
  const lost = new Promise<void>((resolve) => {
    client.on('end', resolve)
    client.on('error', () => resolve())
  })
  client.on('notification', ({ payload }) => onMessage(payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${quoteName(channel)}`)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  onListening()
  return { lost, end: () => client.end().catch(() => {}) }
}
