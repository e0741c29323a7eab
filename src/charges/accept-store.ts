import { createGroupCommit, type GroupCommitMeter } from '../db/group-commit.ts'
import type { Db, Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import {
  type Earlier,
  findEarlier,
  knownPart,
  type NewTransaction,
  recordedPart,
} from '../transactions/new-transaction.ts'
import { toldPart } from '../webhooks/event.ts'

export type ChargeAcceptance = {
  submit(charge: NewTransaction): Promise<Earlier>
  close(): Promise<void>
}

export type AcceptanceOptions = { maxBatch: number; maxQueued: number; meter?: GroupCommitMeter }

export function createAcceptance(db: Db, options: AcceptanceOptions): ChargeAcceptance {
  return createGroupCommit<NewTransaction, Earlier>({
    ...options,
    byHalves: true,
    commit: (charges) => acceptAll(db, charges),
    keyOf: ({ accountId, externalReference }) => `${accountId} ${externalReference}`,
  })
}

/** Record and event in one statement. No money moves before a rail has collected it. */
async function acceptAll(sql: Sql, charges: readonly NewTransaction[]): Promise<Earlier[]> {
  const events = charges.map(({ event }) => event)
  const ids = charges.map(({ id }) => id)
  const rows = await sql<{ id: string }[]>`
    with known as materialized (${knownPart(sql, charges)}),
    wanted as materialized (
      select id as transaction_id from unnest(${ids}::uuid[]) as asked(id)
      where id not in (select transaction_id from known)
    ),
    recorded as (${recordedPart(sql, charges)})
    ${toldPart(sql, events, charges[0]!.createdAt)}
    select transaction_id as id from recorded`
  const recorded = new Set(rows.map(({ id }) => id))
  const others = charges.filter(({ id }) => !recorded.has(id))
  const earlier = await findEarlier(sql, others)
  return charges.map(({ id }) => (recorded.has(id) ? { kind: 'accepted' } : earlier.get(id)!))
}

/** The id of the charge to answer with, and whether it is an answer of earlier. */
export function acceptedId(id: string, earlier: Earlier): { id: string; replayed: boolean } {
  switch (earlier.kind) {
    case 'accepted':
      return { id, replayed: false }
    case 'replayed':
      return { id: earlier.id, replayed: true }
    case 'reference used':
      throw new AppError('E-API-D.S-28')
    case 'key reused':
      throw new AppError('IDEMPOTENCY_KEY_REUSED')
  }
}
