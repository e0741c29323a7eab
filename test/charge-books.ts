import assert from 'node:assert/strict'
import type { Db } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'

/**
 * What must be true of every charge at any moment: ledger, record, events and suspense agree. The
 * list of what does not is empty.
 */
export async function assertBooksAgree(db: Db): Promise<void> {
  const problems = [
    ...(await checkLedger(db)).problems,
    ...(await wrongTransfers(db)),
    ...(await wrongEvents(db)),
    ...(await wrongSuspense(db)),
    ...(await lostArrivals(db)),
    ...(await forgotten(db)),
  ]
  assert.deepEqual(problems, [])
}

const describe = (what: string, rows: readonly { id: string }[]) =>
  rows.map(({ id }) => `${what}: ${id}`)

/** A settled charge moved exactly its money, any other moved none. */
async function wrongTransfers(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select t.id from transactions t
    left join lateral (
      select coalesce(sum(amount) filter (where step = 'collected'), 0) as collected,
        coalesce(sum(amount) filter (where step = 'converted'), 0) as converted,
        coalesce(sum(amount) filter (where step = 'fee'), 0) as fee,
        count(*) filter (where credit = 'wallet') as credits
      from transfers x where x.slot = t.slot and x.transaction_id = t.id
        and x.step in ('collected', 'converted', 'fee')
    ) moved on true
    where t.kind = 'charge' and case t.state
      when 'succeeded' then moved.collected <> t.amount or moved.fee <> t.fee
        or moved.credits <> 1 or t.status <> 'successful'
        or moved.converted <> (case when t.currency = t.wallet_currency then 0
          else t.wallet_amount end)
      else moved.collected + moved.converted + moved.fee <> 0
        or t.status <> (case t.state when 'failed' then 'failed' else 'pending' end) end`
  return describe('its transfers are not those of its state', rows)
}

async function wrongEvents(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select t.id from transactions t
    where t.kind = 'charge' and (
      t.sequence <> (select count(*) from webhooks w
        where w.slot = t.slot and w.transaction_id = t.id)
      or t.status <> (select data ->> 'status' from webhooks w
        where w.slot = t.slot and w.transaction_id = t.id order by sequence desc limit 1)
      or t.step_required is distinct from (select data ->> 'stepRequired' from webhooks w
        where w.slot = t.slot and w.transaction_id = t.id order by sequence desc limit 1)
        and t.state = 'awaiting')`
  return describe('its events do not tell its state', rows)
}

/** The suspense account holds what is open, and nothing else. */
async function wrongSuspense(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select coalesce(items.currency, booked.currency) as id
    from (
      select environment, currency, sum(amount) as amount from suspense_items
      where state = 'open' group by environment, currency
    ) items
    full join (
      select environment, currency,
        sum(amount * ((credit = 'suspense')::int - (debit = 'suspense')::int)) as amount
      from transfers where 'suspense' in (debit, credit) group by environment, currency
    ) booked using (environment, currency)
    where coalesce(items.amount, 0) <> coalesce(booked.amount, 0)`
  return describe('suspense does not hold what its items say', rows)
}

/** Every arrival that was dealt with has settled a charge or is in suspense: one of the two. */
async function lostArrivals(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select a.id from arrivals a
    join rail_callbacks c on c.slot = a.slot and c.id = a.id and c.finding not like 'fault%'
    left join suspense_items s on s.slot = a.slot and s.id = a.id
    where c.handled_at is not null and (c.finding = 'applied') = (s.id is not null)`
  return describe('an arrival has no home, or two', rows)
}

async function forgotten(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from transactions
    where kind = 'charge' and (status = 'pending') <> (due_at is not null)`
  return describe('nobody will look at it again', rows)
}
