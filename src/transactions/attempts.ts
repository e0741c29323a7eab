import type { Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'

/** What was exchanged with a rail about a transaction, for whoever asks later. */
export type Attempt = {
  id: string
  rail: string
  action: 'submit' | 'authorise' | 'lookup' | 'callback' | 'deadline'
  outcome: string
  said: string
  durationMs: number
  atMs: number
}

export type Attempted = { slot: number; transactionId: string; attempt: Attempt }

const maxSaid = 500

const columns: UnnestColumns<Attempted> = {
  slot: ['smallint', (one) => one.slot],
  id: ['uuid', ({ attempt }) => attempt.id],
  transaction_id: ['uuid', (one) => one.transactionId],
  rail: ['text', ({ attempt }) => attempt.rail],
  action: ['text', ({ attempt }) => attempt.action],
  outcome: ['text', ({ attempt }) => attempt.outcome],
  said: ['text', ({ attempt }) => attempt.said.slice(0, maxSaid)],
  duration_ms: ['int', ({ attempt }) => attempt.durationMs],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
}

/** Attempts are facts whatever became of the change, and a repeat of the commit adds none. */
export function attemptsPart(sql: Sql, attempted: readonly Attempted[]): Fragment {
  const names = sql.unsafe(Object.keys(columns).join(', '))
  return sql`
    insert into rail_attempts (${names})
    select ${names} from (${unnest(sql, 'attempted', attempted, columns)}) attempted
    on conflict do nothing`
}
