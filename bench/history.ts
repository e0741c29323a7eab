import type { Db, Sql } from '../src/db/pool.ts'

/** Events are not kept for ever, so of a long history only the last have theirs. */
const keptEvents = 500_000

/**
 * Years of work in a minute or two: finished payouts with their transfers and events, of which the
 * first account has a fifth and the second a thousand. The indexes are built afterwards, as after
 * a restore, and balances agree with the transfers.
 */
export async function addHistory(db: Db, transactions: number): Promise<void> {
  await db.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0')
    await tx.unsafe(planned(transactions))
  })
  await Promise.all([
    fill(db, { transactions: transactionRows }),
    fill(db, { transfers: transferRows, webhooks: webhookRows(transactions - keptEvents) }),
  ])
  await db.unsafe(balances)
  await db.unsafe('drop table bench_plan')
  await db.unsafe('vacuum analyze wallets')
  await db.unsafe('checkpoint')
}

async function fill(db: Db, rows: Record<string, string>): Promise<void> {
  const tables = Object.keys(rows)
  await db.begin(async (tx) => {
    await tx.unsafe('set local session_replication_role = replica')
    await tx.unsafe("set local maintenance_work_mem = '1GB'")
    await tx.unsafe('set local statement_timeout = 0')
    await tx.unsafe('set local synchronous_commit = off')
    const indexes = await dropIndexes(tx, tables)
    for (const statement of Object.values(rows)) await tx.unsafe(statement)
    for (const index of indexes) await tx.unsafe(index)
  })
  for (const table of tables) await db.unsafe(`vacuum analyze ${table}`)
}

/** Takes them away and says how to make them again. */
async function dropIndexes(tx: Sql, tables: readonly string[]): Promise<string[]> {
  const constraints = await tx<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where conrelid = any(${tables}::regclass[]) and contype in ('p', 'u')`
  const plain = await tx<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index i
    where indrelid = any(${tables}::regclass[])
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`
  for (const { table, name } of constraints) {
    await tx.unsafe(`alter table ${table} drop constraint "${name}"`)
  }
  for (const { name } of plain) await tx.unsafe(`drop index ${name}`)
  return [
    ...constraints.map(
      ({ table, name, definition }) =>
        `alter table ${table} add constraint "${name}" ${definition}`,
    ),
    ...plain.map(({ definition }) => definition),
  ]
}

/** Which payout is whose: `n` counts them all, `i` those of one wallet. */
const planned = (transactions: number) => `
  create unlogged table bench_plan as
  with owner as (
    select row_number() over (order by a.created_at, a.id) - 1 as k, a.id as account_id, a.slot,
      w.id as wallet_id, w.seq, w.available
    from accounts a join wallets w on w.slot = a.slot and w.account_id = a.id
  ), given as (
    select n, case when n % 5 = 0 then 0 when n <= 5000 and n % 5 = 1 then 1 else 2 + n % 998 end k
    from generate_series(1, ${transactions}) n
  )
  select n, row_number() over (partition by k order by n) as i, slot, account_id, wallet_id,
    seq, available, now() - interval '1 second' * (${transactions} - n) as at,
    (lpad(to_hex((extract(epoch from now())::bigint - ${transactions} + n) * 1000), 12, '0')
      || '70008000' || lpad(to_hex(n::int), 8, '0') || lpad(to_hex(slot::int), 4, '0'))::uuid as id
  from given join owner using (k)
  order by n`

const transactionRows = `
  insert into transactions (slot, id, account_id, environment, kind, state, status,
    external_reference, method, destination, country, currency, amount, wallet_id,
    wallet_currency, wallet_amount, account_name, account_number, rail, sequence, created_at,
    updated_at)
  select slot, id, account_id, 'sandbox', 'payout', 'successful', 'successful', 'history-' || n,
    'momo', 'MoMo', 'KE', 'KES', 1000, wallet_id, 'KES', 1000, 'Amina Otieno', '254700000000',
    'sandbox-momo', 2, at, at
  from bench_plan`

const transferRows = `
  insert into transfers (slot, transaction_id, step, environment, debit, credit, amount, currency,
    wallet_id, wallet_seq, available_after, held_after, posted_at)
  select slot, id, 'paid', 'sandbox', 'wallet', 'rail:sandbox-momo', 1000, 'KES', wallet_id,
    seq + i, available - 1000 * i, 0, at
  from bench_plan`

const webhookRows = (after: number) => `
  insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, status,
    created_at, attempts)
  select slot, id, account_id, id, 2, 'transaction_updated',
    jsonb_build_object('transactionId', id, 'status', 'successful', 'amount', 10), 'SUCCESS', at, 1
  from bench_plan where n > ${after}`

const balances = `
  update wallets w set seq = p.seq + p.count, available = p.available - 1000 * p.count
  from (
    select slot, wallet_id, min(seq) as seq, min(available) as available, count(*) as count
    from bench_plan group by slot, wallet_id
  ) p
  where w.slot = p.slot and w.id = p.wallet_id`
