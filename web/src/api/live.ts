import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Environment, viewPath } from './client.ts'
import type { LiveEvent } from './queries.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

/** Busy accounts tell of many events a second; the screen is read again at most this often. */
const gatherMs = 700
/** A browser gives up when it is refused; we do not. */
const againMs = 10_000
const events: readonly LiveEvent[] = ['transaction', 'batch']

/** Listens to the service, and has everything read again that it tells of. */
export function useLiveUpdates(environment: Environment): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const { note, stop } = gather(client, environment)
    let source: EventSource
    let again: ReturnType<typeof setTimeout>
    let wasLost = false
    const listen = () => {
      source = new EventSource(viewPath(environment, '/events'))
      source.onopen = () => {
        setState('live')
        // What happened while nobody listened is not told again.
        if (wasLost) for (const event of events) note(event)
        wasLost = false
      }
      source.onerror = () => {
        wasLost = true
        const isClosed = source.readyState === EventSource.CLOSED
        setState(isClosed ? 'lost' : 'connecting')
        if (isClosed) again = setTimeout(listen, againMs)
      }
      for (const event of events) source.addEventListener(event, () => note(event))
    }
    setState('connecting')
    listen()
    return () => {
      clearTimeout(again)
      source.close()
      stop()
    }
  }, [client, environment])
  return state
}

/** Gathers what happens for a moment, then has all of it read again at once. */
function gather(client: QueryClient, environment: Environment) {
  const happened = new Set<LiveEvent>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    const seen = [...happened]
    happened.clear()
    void client.invalidateQueries({
      predicate: ({ meta, queryKey }) =>
        queryKey[1] === environment &&
        ((meta?.live ?? []) as LiveEvent[]).some((event) => seen.includes(event)),
    })
  }
  const note = (event: LiveEvent) => {
    happened.add(event)
    timer ??= setTimeout(flush, gatherMs)
  }
  return { note, stop: () => clearTimeout(timer) }
}
