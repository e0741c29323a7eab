import type { ChargeStep, Direction } from '../rail.ts'
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
  /** The step the customer of a charge still has to take. */
  stage: ChargeStep | null
  /** When the customer took the last step. */
  confirmedAtMs: number | null
  /** Why the customer did not go through with it. */
  refused: string | null
}

export type NewEntry = Omit<BookEntry, 'arrivals'> & { callbackDueAtMs: number; callbacks: number }

/** A change of an entry, made only where its stage is still the expected one. */
export type Advance = Pick<BookEntry, 'stage' | 'confirmedAtMs' | 'refused'> & {
  from: ChargeStep | null
  callbackDueAtMs: number | null
}

export type Book = {
  /** Notes the payment, or one more arrival of a key that is noted already. */
  take(entry: NewEntry): Promise<BookEntry>
  find(rail: string, key: string): Promise<BookEntry | undefined>
  findAccount(rail: string, accountNumber: string): Promise<BookEntry | undefined>
  /** The entry as it is afterwards, whether this change was made or another was quicker. */
  advance(rail: string, key: string, change: Advance): Promise<BookEntry>
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
    findAccount: async (rail, accountNumber) =>
      [...entries.values()].find(
        (entry) => entry.rail === rail && entry.accountNumber === accountNumber,
      ),
    async advance(rail, key, { from, callbackDueAtMs, ...change }) {
      const entry = entries.get(`${rail} ${key}`)!
      if (entry.stage !== from) return entry
      Object.assign(entry, change)
      if (callbackDueAtMs !== null) Object.assign(entry, { dueAtMs: callbackDueAtMs, left: 1 })
      return entry
    },
    async dueCallbacks(rail, nowMs, limit) {
      const due = [...entries.values()]
        .filter((entry) => entry.rail === rail && entry.left > 0 && entry.dueAtMs <= nowMs)
        .slice(0, limit)
      for (const entry of due) entry.left--
      return due
    },
  }
}
