import { assertBooksAgree } from '../charge-books.ts'
import { assertBooks } from '../payout-world.ts'
import { eventsInOrder, receivedByOwner } from './check-events.ts'
import { booksOfRails, paidOnce } from './check-rails.ts'
import { problem, type World } from './world.ts'

/** A transaction as the checks look at it. */
export type Seen = {
  id: string
  accountId: string
  kind: 'payout' | 'charge' | 'reversal'
  state: string
  status: string
  reference: string
  method: string
  rail: string
  amount: bigint
  currency: string
  sequence: number
  linkedId: string | null
}

type Check = (world: World, seen: ReadonlyMap<string, Seen>) => Promise<void> | void

/** What is true at every moment. */
const always: readonly Check[] = [
  answeredIsThere,
  ledgerAgrees,
  heldIsPending,
  paidOnce,
  receivedByOwner,
  newsIsUnderstood,
]

/** What is true besides when everything has come to its end. */
const settled: readonly Check[] = [oneOutcome, booksOfRails, eventsInOrder]

export const checkAlways = (world: World): Promise<void> => checkAll(world, always)
export const checkSettled = (world: World): Promise<void> =>
  checkAll(world, [...always, ...settled])

async function checkAll(world: World, checks: readonly Check[]): Promise<void> {
  const rows = await world.db<Seen[]>`
    select id, account_id as "accountId", kind, state, status, external_reference as reference,
      method, rail, amount, currency, sequence, linked_id as "linkedId"
    from transactions order by id`
  const seen = new Map(rows.map((row) => [row.id, row]))
  for (const check of checks) {
    world.counts.checks++
    try {
      await check(world, seen)
    } catch (error) {
      problem(world, String(error instanceof Error ? error.message : error))
    }
  }
}

function answeredIsThere(world: World, seen: ReadonlyMap<string, Seen>): void {
  for (const { owner, requests } of world.merchants) {
    const own = [...seen.values()].filter(({ accountId }) => accountId === owner.accountId)
    const byReference = Map.groupBy(own, ({ reference }) => reference)
    for (const { id, reference, mayBeThere, kind } of requests) {
      const found = byReference.get(reference) ?? []
      if (found.length > 1) problem(world, `${reference} is there ${found.length} times`)
      if (id !== undefined && found[0]?.id !== id) problem(world, `${reference} ${id} is lost`)
      if (found.length > 0 && !mayBeThere)
        problem(world, `${kind} ${reference} was refused and is there`)
    }
  }
}

async function ledgerAgrees({ db }: World): Promise<void> {
  await assertBooksAgree(db)
  await assertBooks({ db })
}

/** What a wallet holds back is what its open payouts cost. */
async function heldIsPending(world: World): Promise<void> {
  const rows = await world.db<{ id: string; held: bigint; open: bigint }[]>`
    select w.id, w.held, coalesce(sum(t.wallet_amount + t.fee), 0)::bigint as open
    from wallets w left join transactions t
      on t.slot = w.slot and t.wallet_id = w.id and t.kind = 'payout' and t.status = 'pending'
    group by w.slot, w.id having w.held <> coalesce(sum(t.wallet_amount + t.fee), 0)`
  for (const { id, held, open } of rows) {
    problem(world, `wallet ${id} holds ${held}, its open payouts cost ${open}`)
  }
}

async function newsIsUnderstood(world: World): Promise<void> {
  const rows = await world.db<{ id: string; finding: string }[]>`
    select id, finding from rail_callbacks where finding like 'fault%'`
  for (const { id, finding } of rows) problem(world, `news ${id}: ${finding}`)
}

async function oneOutcome(world: World, seen: ReadonlyMap<string, Seen>): Promise<void> {
  for (const { id, kind, status, state } of seen.values()) {
    if (status === 'pending') problem(world, `${kind} ${id} has no outcome: ${state}`)
  }
  const [left] = await world.db<{ news: number }[]>`
    select count(*)::int as news from rail_callbacks where handled_at is null`
  if (left!.news > 0) problem(world, `${left!.news} pieces of news were not dealt with`)
}
