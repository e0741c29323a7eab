import { isConflictFault, isUnavailableFault } from '../db/faults.ts'
import { createGroupCommit } from '../db/group-commit.ts'
import type { Db, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { AppError, validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Log } from '../log.ts'
import type { CallbackMessage, CallbackNews } from '../rails/rail.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { applyHeard, type OutcomeParts } from './outcomes.ts'
import type { Payout, PayoutEvent } from './payout.ts'
import { reversePayout } from './reverse-payout.ts'
import { payoutColumns } from './store.ts'

/** News as it was stored: the route that receives it never acts by itself. */
type StoredCallback = {
  slot: number
  id: string
  rail: string
  transactionId: string | null
  news: CallbackNews
  receivedAt: Date
}

export type CallbackInbox = {
  /** Verifies and stores. When it returns, the news is safe. */
  receive(railName: string, message: CallbackMessage): Promise<void>
  close(): Promise<void>
}

const lane = { maxBatch: 256, maxQueued: 20_000 }
const maxHandledAtOnce = 256
const everyMs = 1000

export function createCallbackInbox(parts: OutcomeParts, onStored: () => void): CallbackInbox {
  const stores = createGroupCommit<StoredCallback, void>({
    ...lane,
    commit: (callbacks) => storeAll(parts.db, callbacks),
  })
  return {
    async receive(railName, message) {
      const rail = parts.routing.byName(railName)
      if (!rail?.callbacks) throw new AppError('ROUTE_NOT_FOUND')
      if (!rail.callbacks.verify(message)) {
        throw new AppError('UNAUTHORIZED', { message: 'The signature of the callback is wrong.' })
      }
      const news = translate(() => rail.callbacks!.translate(message))
      const slot = slotOf(news.key) ?? 0
      await stores.submit({
        ...{ slot, id: parts.ids.next(slot), rail: railName, news },
        transactionId: slotOf(news.key) === undefined ? null : news.key,
        receivedAt: new Date(parts.clock.now()),
      })
      onStored()
    },
    close: stores.close,
  }
}

function translate(read: () => CallbackNews): CallbackNews {
  try {
    return read()
  } catch (error) {
    throw Object.assign(validationError('the callback could not be read.'), { cause: error })
  }
}

const columns: UnnestColumns<StoredCallback> = {
  slot: ['smallint', (stored) => stored.slot],
  id: ['uuid', (stored) => stored.id],
  rail: ['text', (stored) => stored.rail],
  transaction_id: ['uuid', (stored) => stored.transactionId],
  direction: ['text', ({ news }) => news.direction],
  arrival_id: ['text', ({ news }) => news.arrival?.id ?? null],
  account_number: ['text', ({ news }) => news.arrival?.accountNumber ?? null],
  outcome: ['text', ({ news }) => news.kind],
  said: ['text', ({ news }) => (news.reason ?? news.said).slice(0, 500)],
  provider_reference: ['text', ({ news }) => news.reference ?? null],
  amount: ['bigint', ({ news }) => news.amount ?? null],
  currency: ['text', ({ news }) => news.currency ?? null],
  received_at: ['timestamptz', (stored) => stored.receivedAt],
}

async function storeAll(sql: Sql, callbacks: readonly StoredCallback[]): Promise<undefined[]> {
  const names = sql.unsafe(Object.keys(columns).join(', '))
  await sql`
    insert into rail_callbacks (${names})
    select ${names} from (${unnest(sql, 'c', callbacks, columns)}) c
    on conflict do nothing`
  return callbacks.map(() => undefined)
}

/** Acts on stored news, in the worker. */
export function startCallbackWorker(parts: OutcomeParts, log: Log): Loop {
  const loop = startLoop({ name: 'rail callbacks', everyMs, log }, async () => {
    const handled = await handleCallbacks(parts)
    if (handled >= maxHandledAtOnce) loop.wake()
  })
  return loop
}

type WaitingRow = {
  callbackSlot: number
  callbackId: string
  callbackRail: string
  outcome: CallbackNews['kind']
  said: string
  reference: string | null
  newsAmount: bigint | null
  newsCurrency: string | null
} & (Payout | { [Key in keyof Payout]: null })

/** Says how many were done with. News of a return waits until the payout itself is final. */
export async function handleCallbacks(parts: OutcomeParts): Promise<number> {
  const { db } = parts
  const rows = await db<WaitingRow[]>`
    select c.slot as "callbackSlot", c.id as "callbackId", c.rail as "callbackRail", c.outcome,
      c.said, c.provider_reference as reference, c.amount as "newsAmount",
      c.currency as "newsCurrency", ${payoutColumns(db, 't')}
    from rail_callbacks c
    left join transactions t on t.slot = c.slot and t.id = c.transaction_id and t.kind = 'payout'
    where c.handled_at is null and c.direction = 'payout'
      and (c.outcome <> 'reversed' or t.state is null or t.state in ('succeeded', 'failed'))
    order by c.received_at limit ${maxHandledAtOnce}`
  const findings = await Promise.all(
    rows.map(async (row) => ({ row, finding: await handle(parts, row).catch(findingOf) })),
  )
  const handled = findings.filter((each) => each.finding !== undefined)
  await markHandled(parts, handled as { row: WaitingRow; finding: string }[])
  return handled.length
}

/** News that cannot be worked with must not hold up the rest; a database that is away may. */
function findingOf(error: unknown): string | undefined {
  if (error instanceof AppError || isUnavailableFault(error) || isConflictFault(error)) {
    return undefined
  }
  return `fault: ${String(error)}`
}

const eventOf: Partial<Record<string, PayoutEvent>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  pending: 'taken',
}

/** What came of the news. Nothing that does not match our own record is believed. */
async function handle(parts: OutcomeParts, row: WaitingRow): Promise<string> {
  if (row.id === null) return 'not believed: there is no such payment'
  if (row.callbackRail !== row.rail) return 'contradiction: another rail has this payment'
  if (row.newsAmount !== null && row.newsAmount !== row.amount) {
    await askSoon(parts, row)
    return `not believed: the amount is ${row.newsAmount}, ours is ${row.amount}`
  }
  if (row.newsCurrency !== null && row.newsCurrency !== row.currency) {
    await askSoon(parts, row)
    return `not believed: the currency is ${row.newsCurrency}, ours is ${row.currency}`
  }
  if (row.outcome === 'reversed') return reversePayout(parts, row)
  const event = eventOf[row.outcome]
  if (event === undefined) return `not believed: ${row.outcome} is no news we know`
  return applyHeard(parts, row, {
    event,
    ...(row.outcome === 'failed' ? { reason: row.said } : {}),
    ...(row.reference === null ? {} : { reference: row.reference }),
    attempt: attemptOf(parts, row),
    callbackId: row.callbackId,
  })
}

function attemptOf({ ids, clock }: OutcomeParts, row: WaitingRow & Payout) {
  const { callbackRail: rail, outcome, said } = row
  const id = ids.next(row.slot)
  const action = 'callback' as const
  return { id, rail, action, outcome, said, durationMs: 0, atMs: clock.now() }
}

/** News that cannot be true is a reason to ask the rail. */
async function askSoon({ db, clock }: OutcomeParts, { slot, id }: Payout): Promise<void> {
  await db`
    update transactions set due_at = ${new Date(clock.now())}
    where slot = ${slot} and id = ${id} and state in ('submitted', 'unclear')`
}

async function markHandled(
  { db, clock }: { db: Db; clock: OutcomeParts['clock'] },
  handled: readonly { row: WaitingRow; finding: string }[],
): Promise<void> {
  if (handled.length === 0) return
  await db`
    update rail_callbacks c set handled_at = ${new Date(clock.now())}, finding = h.finding
    from (${unnest(db, 'h', handled, {
      slot: ['smallint', ({ row }) => row.callbackSlot],
      id: ['uuid', ({ row }) => row.callbackId],
      finding: ['text', ({ finding }) => finding],
    })}) h
    where c.slot = h.slot and c.id = h.id and c.handled_at is null`
}
