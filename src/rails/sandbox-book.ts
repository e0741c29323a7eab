import { createGroupCommit } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import type { Book, BookEntry, NewEntry } from './sandbox/book.ts'

const maxBatch = 256
const maxQueued = 10_000

/**
 * The book of the sandbox rail in the database, written apart from our own records and never in
 * the same commit with them: a crash of ours must meet it as it would meet a real rail.
 */
export function databaseBook(db: Db): Book {
  const takes = createGroupCommit<NewEntry, BookEntry>({
    commit: (entries) => takeAll(db, entries),
    keyOf: ({ rail, key }) => `${rail} ${key}`,
    maxBatch,
    maxQueued,
  })
  return {
    take: takes.submit,
    async find(rail, key) {
      const [entry] = await db<BookEntry[]>`
        select ${columns(db)} from sandbox_rail_book where rail = ${rail} and key = ${key}`
      return entry
    },
    async findAccount(rail, accountNumber) {
      const [entry] = await db<BookEntry[]>`
        select ${columns(db)} from sandbox_rail_book
        where rail = ${rail} and account_number = ${accountNumber}
          and behaviour = 'wait for transfer'`
      return entry
    },
    async advance(rail, key, change) {
      const due = change.callbackDueAtMs
      await db`
        update sandbox_rail_book set stage = ${change.stage}, refused = ${change.refused},
          confirmed_at = to_timestamp(${change.confirmedAtMs}::float8 / 1000),
          callback_due_at = to_timestamp(${due}::float8 / 1000),
          callbacks_left = ${due === null ? 0 : 1}
        where rail = ${rail} and key = ${key} and stage is not distinct from ${change.from}`
      return (await this.find(rail, key))!
    },
    dueCallbacks: (rail, nowMs, limit) => db<BookEntry[]>`
      update sandbox_rail_book set callbacks_left = callbacks_left - 1,
        callback_due_at = case when callbacks_left > 1 then callback_due_at end
      where (rail, key) in (
        select rail, key from sandbox_rail_book
        where rail = ${rail} and callback_due_at <= to_timestamp(${nowMs}::float8 / 1000)
        order by callback_due_at limit ${limit} for update skip locked
      )
      returning ${columns(db)}`,
  }
}

const columns = (db: Db) => db`
  rail, key, direction, account_number as "accountNumber", amount, currency, behaviour, arrivals,
  (extract(epoch from taken_at) * 1000)::float8 as "takenAtMs", stage, refused,
  (extract(epoch from confirmed_at) * 1000)::float8 as "confirmedAtMs"`

const entryColumns: UnnestColumns<NewEntry> = {
  rail: ['text', (entry) => entry.rail],
  key: ['text', (entry) => entry.key],
  direction: ['text', (entry) => entry.direction],
  account_number: ['text', (entry) => entry.accountNumber],
  amount: ['bigint', (entry) => entry.amount],
  currency: ['text', (entry) => entry.currency],
  behaviour: ['text', (entry) => entry.behaviour],
  stage: ['text', (entry) => entry.stage],
  taken_ms: ['float8', (entry) => entry.takenAtMs],
  due_ms: ['float8', (entry) => entry.callbackDueAtMs],
  callbacks: ['smallint', (entry) => entry.callbacks],
}

async function takeAll(db: Db, entries: readonly NewEntry[]): Promise<BookEntry[]> {
  const rows = await db<BookEntry[]>`
    insert into sandbox_rail_book (rail, key, direction, account_number, amount, currency,
      behaviour, stage, taken_at, callback_due_at, callbacks_left)
    select rail, key, direction, account_number, amount, currency, behaviour, stage,
      to_timestamp(taken_ms / 1000),
      case when callbacks > 0 then to_timestamp(due_ms / 1000) end, callbacks
    from (${unnest(db, 'entry', entries, entryColumns)}) entry
    on conflict (rail, key) do update set arrivals = sandbox_rail_book.arrivals + 1
    returning ${columns(db)}`
  const byKey = new Map(rows.map((row) => [`${row.rail} ${row.key}`, row]))
  return entries.map(({ rail, key }) => byKey.get(`${rail} ${key}`)!)
}
