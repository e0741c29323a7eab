import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { Gauge, type Metrics } from '../metrics.ts'
import { type Loop, startLoop } from './loop.ts'

export type BacklogOptions = {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** How many currencies of the ledger do not sum to zero. */
  countUnbalanced: () => Promise<number>
}

type Backlog = {
  payments: number
  webhooks: number
  callbacks: number
  open: number
  suspense: number
  paused: number
  held: number
  doubted: number
}

const lookEveryMs = 30_000

/** Looks at what waits, and for whom: what a machine has to do, and what needs a person. */
export function startBacklogWatch(options: BacklogOptions): Loop {
  const { db, clock, log, metrics, countUnbalanced } = options
  const show = createGauges(metrics)
  return startLoop({ name: 'backlog', everyMs: lookEveryMs, log }, async () => {
    show(await readBacklog(db), await countUnbalanced(), clock.now())
  })
}

/** Ages are in seconds, and 0 where there is nothing. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const age = (time: string) =>
    db.unsafe(`greatest(coalesce(extract(epoch from now() - min(${time})), 0), 0)::float8`)
  const [row] = await db<Backlog[]>`
    select
      (select ${age('due_at')} from transactions where due_at is not null) as payments,
      (select ${age('due_at')} from webhooks where due_at is not null) as webhooks,
      (select ${age('received_at')} from rail_callbacks where handled_at is null) as callbacks,
      (select ${age('created_at')} from transactions where due_at is not null) as open,
      (select count(*)::int from suspense_items where state = 'open') as suspense,
      (select count(*)::int from accounts where webhook_paused_at is not null) as paused,
      (select count(*)::int from held_rates) as held,
      (select count(*)::int from rail_callbacks
        where received_at > now() - interval '1 day' and (finding like 'contradiction%'
          or finding like 'not believed%' or finding like 'fault%')) as doubted`
  return row!
}

function createGauges(metrics: Metrics) {
  const registers = [metrics]
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `malipo_${name}`, help, labelNames, registers })
  const due = gauge('due_seconds', 'How long the oldest due work has been waiting.', ['work'])
  const open = gauge('payment_open_seconds', 'Age of the oldest payment without an outcome.')
  const suspense = gauge('suspense_open', 'Arrivals of money that wait for a decision.')
  const paused = gauge('receivers_paused', 'Accounts whose webhook receiver is paused.')
  const held = gauge('rates_held', 'Exchange rates that wait for a confirmation.')
  const doubted = gauge('callbacks_doubted', 'News of a day that contradicts our records.')
  const unbalanced = gauge('ledger_unbalanced', 'Currencies whose balances do not sum to zero.')
  const seen = gauge('backlog_seen_seconds', 'When all of this was last looked at.')
  return (found: Backlog, wrong: number, nowMs: number): void => {
    due.set({ work: 'payments' }, found.payments)
    due.set({ work: 'webhooks' }, found.webhooks)
    due.set({ work: 'rail callbacks' }, found.callbacks)
    open.set(found.open)
    suspense.set(found.suspense)
    paused.set(found.paused)
    held.set(found.held)
    doubted.set(found.doubted)
    unbalanced.set(wrong)
    seen.set(nowMs / 1000)
  }
}
