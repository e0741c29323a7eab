import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { quoteName } from './query.ts'

export type ListenHandle = { unlisten(): Promise<void> }

const firstPauseMs = 50
const maxPauseMs = 1000
const answerLimitMs = 5000
const endLimitMs = 1000

export type Listening = {
  onMessage(payload: string): void
  onListening(): void
  /** A connection on which nothing was heard for so long is taken for lost. */
  silenceLimitMs: number
}

/** Hears a channel on a connection of its own, and connects anew for as long as nobody stops it. */
export async function listen(
  settings: pg.ClientConfig,
  channel: string,
  listening: Listening,
): Promise<ListenHandle> {
  const abort = new AbortController()
  let client = await openListener(settings, channel, listening)

  async function follow(): Promise<void> {
    for (let pauseMs = firstPauseMs; !abort.signal.aborted; ) {
      await client.lost
      if (abort.signal.aborted) return
      try {
        await sleep(pauseMs, undefined, { signal: abort.signal })
        client = await openListener(settings, channel, listening)
        // Who was stopped meanwhile would leave this one open.
        if (abort.signal.aborted) await client.end()
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
  { onMessage, onListening, silenceLimitMs }: Listening,
): Promise<Listener> {
  const client = new pg.Client({ ...settings, statement_timeout: 0 })
  const lost = new Promise<void>((resolve) => {
    client.on('end', resolve)
    client.on('error', () => resolve())
  })
  let silence: NodeJS.Timeout | undefined
  client.on('notification', ({ payload }) => {
    silence?.refresh()
    onMessage(payload ?? '')
  })
  try {
    await client.connect()
    const query = { text: `listen ${quoteName(channel)}`, query_timeout: answerLimitMs }
    await client.query(query)
  } catch (error) {
    await end(client)
    throw error
  }
  // A connection can die without a word, and one that only listens would never find out.
  silence = setTimeout(() => void end(client), silenceLimitMs).unref()
  void lost.then(() => clearTimeout(silence))
  onListening()
  return { lost, end: () => end(client) }
}

/** A connection that is dead does not say goodbye: it is waited for, but not for long. */
async function end(client: pg.Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endLimitMs)
  await client.end().catch(() => {})
  clearTimeout(late)
}
