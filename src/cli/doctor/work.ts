import type { Fragment, Sql } from '../../db/pool.ts'
import type { Session } from '../session.ts'
import { ageText, type Check, type Finding, fail, ok, warn } from './finding.ts'

const lateSeconds = 300
const openDays = 1
const recentDays = 7

export const workChecks: readonly Check[] = [
  { what: 'payments due', run: paymentsDue },
  { what: 'payments open', run: paymentsOpen },
  { what: 'callbacks', run: callbacks },
  { what: 'webhooks', run: webhooksDue },
  { what: 'receivers', run: pausedReceivers },
  { what: 'suspense', run: suspense },
  { what: 'rates', run: rates },
]

type Counted = { count: number; seconds: number }

/** How many there are, and how long the oldest has been so. */
async function countedFrom(sql: Sql, table: string, since: string, where: Fragment) {
  const time = sql.unsafe(since)
  const [row] = await sql<Counted[]>`
    select count(*)::float8 as count,
      coalesce(extract(epoch from now() - min(${time})), 0)::float8 as seconds
    from ${sql.unsafe(table)} where ${where}`
  return row!
}

const late = (sql: Sql, column: string): Fragment =>
  sql`${sql.unsafe(column)} < now() - ${lateSeconds} * interval '1 second'`

const aged = ({ count, seconds }: Counted, words: string): string =>
  `${count} ${words}, the oldest for ${ageText(seconds)}`

/** The row is the job: one that is due and that nobody takes means that no worker is at work. */
async function paymentsDue({ db }: Session): Promise<Finding> {
  const due = await countedFrom(db, 'transactions', 'due_at', late(db, 'due_at'))
  if (due.count === 0) return ok('payments due', 'none waits for a worker')
  const left = await countedFrom(
    db,
    'transactions',
    'leased_until',
    db`due_at is not null and ${late(db, 'leased_until')}`,
  )
  const died = left.count > 0 ? `; of ${left.count} a worker had begun` : ''
  const advice = 'Start a process with the role worker, or see the log of those that run.'
  return fail('payments due', aged(due, 'wait for a worker') + died, advice)
}

async function paymentsOpen({ db }: Session): Promise<Finding> {
  const open = await countedFrom(
    db,
    'transactions',
    'created_at',
    db`due_at is not null and created_at < now() - ${openDays} * interval '1 day'`,
  )
  if (open.count === 0) return ok('payments open', 'none is open for more than a day')
  const advice = 'Ask the rail; what it said is in rail_attempts (docs/operating/running.md).'
  return warn('payments open', aged(open, 'without an outcome'), advice)
}

async function callbacks({ db }: Session): Promise<Finding> {
  const waiting = await countedFrom(
    db,
    'rail_callbacks',
    'received_at',
    db`handled_at is null and ${late(db, 'received_at')}`,
  )
  if (waiting.count > 0) {
    const advice = 'Start a process with the role worker, or see the log of those that run.'
    return fail('callbacks', aged(waiting, 'are not acted upon'), advice)
  }
  const doubted = await countedFrom(
    db,
    'rail_callbacks',
    'received_at',
    db`received_at > now() - ${recentDays} * interval '1 day' and (finding like 'contradiction%'
      or finding like 'not believed%' or finding like 'fault%')`,
  )
  if (doubted.count === 0) return ok('callbacks', 'all are acted upon')
  const found = `${doubted.count} of the last ${recentDays} days contradict our records`
  return warn('callbacks', found, 'Talk to the rail; docs/operating/running.md has the query.')
}

async function webhooksDue({ db }: Session): Promise<Finding> {
  const due = await countedFrom(db, 'webhooks', 'due_at', late(db, 'due_at'))
  if (due.count === 0) return ok('webhooks', 'none waits for a worker')
  const advice = 'Start a process with the role worker, or more of them.'
  return fail('webhooks', aged(due, 'wait to be sent'), advice)
}

async function pausedReceivers({ db }: Session): Promise<Finding> {
  const isPaused = db`webhook_paused_at is not null`
  const paused = await countedFrom(db, 'accounts', 'webhook_paused_at', isPaused)
  if (paused.count === 0) return ok('receivers', 'none is paused')
  const advice = 'Tell the merchants; malipo webhooks resume sends what they missed.'
  return warn('receivers', aged(paused, 'paused'), advice)
}

async function suspense({ db }: Session): Promise<Finding> {
  const open = await countedFrom(db, 'suspense_items', 'created_at', db`state = 'open'`)
  if (open.count === 0) return ok('suspense', 'no money waits for a decision')
  const advice = 'malipo suspense list, then credit or return.'
  return warn('suspense', aged(open, 'wait for a decision'), advice)
}

async function rates({ db }: Session): Promise<Finding> {
  const held = await countedFrom(db, 'held_rates', 'held_at', db`true`)
  if (held.count === 0) return ok('rates', 'none is held')
  return warn('rates', aged(held, 'held'), 'malipo rates list, then malipo rates confirm.')
}
