import type { Db, Fragment } from '../../src/db/pool.ts'
import { table } from '../generate/markdown.ts'

/** The rows of a payout, table by table, as a reader of the page needs them. */
export type RowTables = Record<
  'record' | 'transfers' | 'told' | 'toldBodies' | 'attempts' | 'callbacks' | 'book' | 'balances',
  (id: string) => Promise<string>
>

export function createRowTables(db: Db, plain: (text: string) => string): RowTables {
  const show = async (query: Fragment): Promise<string> => {
    const rows = (await query) as Record<string, unknown>[]
    const head = Object.keys(rows[0] ?? {})
    const cells = rows.map((row) => head.map((name) => plain(textOf(row[name]))))
    return table(head, cells)
  }
  return {
    record: (id) =>
      show(db`
        select state, status, amount, wallet_amount, fee, rail, submits, due_at, leased_until
        from transactions where id = ${id}`),
    transfers: (id) =>
      show(db`
        select step, debit, credit, amount, currency, available_after, held_after
        from transfers where transaction_id = ${id} order by wallet_seq`),
    told: (id) =>
      show(db`
        select sequence, event, data ->> 'status' as "data.status", status, due_at
        from webhooks where transaction_id = ${id} order by sequence`),
    async toldBodies(id) {
      const rows = await db<{ data: unknown }[]>`
        select data from webhooks where transaction_id = ${id} order by sequence desc limit 1`
      return `\`\`\`json\n${JSON.stringify(rows[0]!.data, null, 2)}\n\`\`\``
    },
    attempts: (id) =>
      show(db`
        select rail, action, outcome, said, at from rail_attempts
        where transaction_id = ${id} order by at, id`),
    callbacks: (id) =>
      show(db`
        select rail, outcome, amount, currency, received_at, handled_at, finding
        from rail_callbacks where transaction_id = ${id}`),
    book: (id) =>
      show(db`
        select rail, key, amount, currency, behaviour, arrivals, callback_due_at
        from sandbox_rail_book where key = ${id}`),
    balances: (id) =>
      show(db`
        select w.currency, w.country, w.available, w.held
        from wallets w join transactions t on t.slot = w.slot and t.wallet_id = w.id
        where t.id = ${id}`),
  }
}

function textOf(value: unknown): string {
  if (value === null) return ''
  return value instanceof Date ? value.toISOString() : String(value)
}
