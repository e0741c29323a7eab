import type { Direction } from '../rail.ts'
import type { Behaviour } from './behaviour.ts'

/** What the sandbox remembers of a payment. Its book is its own; ours is compared with it. */
export type BookEntry = {
  rail: string
  key: string
  direction: Direction
  accountNumber: string
  amount: bigint
  currency: string
  behaviour: Behaviour
  /** How often the key was sent here. */
  arrivals: number
  takenAtMs: number
}

export type NewEntry = Omit<BookEntry, 'arrivals'> & { callbackDueAtMs: number; callbacks: number }

export type Book = {
  /** Notes the payment, or one more arrival of a key that is noted already. */
  take(entry: NewEntry): Promise<BookEntry>
  find(rail: string, key: string): Promise<BookEntry | undefined>
  /** Entries whose callback is due; each is handed out once for each time it is to be sent. */
  dueCallbacks(rail: string, nowMs: number, limit: number): Promise<BookEntry[]>
}

/** A book for tests that lives as long as they do. */
export function memoryBook(): Book & { entries(): BookEntry[] } {
  const entries = new Map<string, BookEntry & { dueAtMs: number; left: number }>()
  return {
    entries: () => [...entries.values()],
    async take({ callbackDueAtMs, callbacks, ...entry }) {
      const id = `${entry.rail} ${entry.key}`
      const known = entries.get(id)
      if (known) known.arrivals++
      const taken = known ?? { ...entry, arrivals: 1, dueAtMs: callbackDueAtMs, left: callbacks }
      entries.set(id, taken)
      return taken
    },
    find: async (rail, key) => entries.get(`${rail} ${key}`),
    async dueCallbacks(rail, nowMs, limit) {
      const due = [...entries.values()]
        .filter((entry) => entry.rail === rail && entry.left > 0 && entry.dueAtMs <= nowMs)
        .slice(0, limit)
      for (const entry of due) entry.left--
      return due
    },
  }
}
