import { isConflictFault, isUnavailableFault } from '../db/faults.ts'
import type { Db } from '../db/pool.ts'
import { unnest } from '../db/unnest.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { CallbackNews } from '../rails/rail.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { handleArrival } from './arrivals.ts'
import type { Charge } from './charge.ts'
import { applyHeard, type ChargeParts } from './outcomes.ts'
import { attemptOf } from './send.ts'
import { chargeColumns } from './store.ts'

/** Acts on the stored news about charges. */

const maxAtOnce = 256
const everyMs = 1000

export function startChargeCallbackWorker(parts: ChargeParts, log: Log): Loop {
  const loop = startLoop({ name: 'charge callbacks', everyMs, log }, async () => {
    const onFault = (error: unknown) => log.error({ err: error }, 'a callback was not handled')
    if ((await handleChargeCallbacks(parts, onFault)) >= maxAtOnce) loop.wake()
  })
  return loop
}

/** A stored callback and the charge it names, where it names one of ours. */
export type StoredNews = {
  callbackSlot: number
  callbackId: string
  callbackRail: string
  outcome: CallbackNews['kind']
  said: string
  reference: string | null
  newsAmount: bigint | null
  newsCurrency: string | null
  arrivalId: string | null
  arrivalAccount: string | null
  receivedAt: Date
}
type WaitingRow = StoredNews & (Charge | { [Key in keyof Charge]: null })

export async function handleChargeCallbacks(
  parts: ChargeParts,
  onFault: (error: unknown) => void = () => {},
): Promise<number> {
  const { db } = parts
  const rows = await db<WaitingRow[]>`
    select c.slot as "callbackSlot", c.id as "callbackId", c.rail as "callbackRail", c.outcome,
      c.said, c.provider_reference as reference, c.amount as "newsAmount",
      c.currency as "newsCurrency", c.arrival_id as "arrivalId",
      c.account_number as "arrivalAccount", c.received_at as "receivedAt",
      ${chargeColumns(db, 't')}
    from rail_callbacks c
    left join transactions t on t.slot = c.slot and t.id = c.transaction_id and t.kind = 'charge'
    where c.handled_at is null and c.direction = 'charge'
    order by c.received_at limit ${maxAtOnce}`
  const findings = await Promise.all(
    rows.map((row) =>
      handle(parts, row).catch((error) => {
        onFault(error)
        return findingOf(error)
      }),
    ),
  )
  const handled = rows.flatMap((row, index) => {
    const finding = findings[index]
    return finding === undefined ? [] : [{ row, finding }]
  })
  await markHandled(db, parts.clock.now(), handled)
  return handled.length
}

/** News that cannot be worked with must not hold up the rest; a database that is away may. */
function findingOf(error: unknown): string | undefined {
  const mayPass = error instanceof AppError || isUnavailableFault(error) || isConflictFault(error)
  return mayPass ? undefined : `fault: ${String(error)}`
}

async function handle(parts: ChargeParts, row: WaitingRow): Promise<string> {
  if (row.arrivalId !== null) return handleArrival(parts, row)
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
  if (row.outcome === 'reversed') return 'contradiction: a charge is not reversed by its rail'
  const news = { kind: row.outcome, said: row.said }
  const finding = await applyHeard(parts, row, {
    event: row.outcome,
    ...(row.outcome === 'failed' ? { reason: row.said } : {}),
    ...(row.reference === null ? {} : { reference: row.reference }),
    attempt: attemptOf(parts, row, 'callback', news, parts.clock.now()),
    callbackId: row.callbackId,
  })
  if (finding !== 'contradiction' || row.outcome !== 'succeeded') return finding
  return 'contradiction: collected after it had failed; the money is in suspense'
}

/** News that cannot be true is a reason to ask the rail. */
async function askSoon({ db, clock }: ChargeParts, { slot, id }: Charge): Promise<void> {
  await db`
    update transactions set due_at = ${new Date(clock.now())}
    where slot = ${slot} and id = ${id} and state in ('processing', 'unclear')`
}

async function markHandled(
  db: Db,
  nowMs: number,
  handled: readonly { row: StoredNews; finding: string }[],
): Promise<void> {
  if (handled.length === 0) return
  await db`
    update rail_callbacks c set handled_at = ${new Date(nowMs)}, finding = h.finding
    from (${unnest(db, 'h', handled, {
      slot: ['smallint', ({ row }) => row.callbackSlot],
      id: ['uuid', ({ row }) => row.callbackId],
      finding: ['text', ({ finding }) => finding],
    })}) h
    where c.slot = h.slot and c.id = h.id and c.handled_at is null`
}
