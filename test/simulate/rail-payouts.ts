import type { LookupOutcome, PayoutOrder, SubmitOutcome } from '../../src/rails/rail.ts'
import { latestArrivalMs, type RailParts, TimedOut } from './rail.ts'
import type { PaidEntry } from './rail-book.ts'

const reason = 'The recipient cannot be paid.'
const slowestMs = 300_000
const over = Number.POSITIVE_INFINITY

type Side = RailParts & { onTheirWay: { order: PayoutOrder; atMs: number }[] }

/** Money out, as the rail sees it. */
export function createPayoutSide(parts: RailParts) {
  const side: Side = { ...parts, onTheirWay: [] }
  return {
    tick: () => tick(side),
    create: (order: PayoutOrder) => create(side, order),
    lookup: (order: PayoutOrder) => lookup(side, order),
  }
}

function create(side: Side, order: PayoutOrder): SubmitOutcome {
  const { random, clock } = side
  if (side.isDown()) return { kind: 'unavailable', said: 'down' }
  const manner = side.isCalm()
    ? 'takes it'
    : random.weighted({ 'takes it': 10, before: 2, after: 2, late: 1, away: 1 })
  if (manner === 'away') return { kind: 'unavailable', said: 'try later' }
  if (manner !== 'takes it') return beSilent(side, order, manner)
  const isQuick = random.chance(0.4)
  const entry = take(side, order, isQuick ? 0 : random.int(slowestMs))
  if (entry.settlesAtMs <= clock.now()) settle(side, entry)
  const state = stateOf(entry)
  if (state.kind === 'succeeded' || state.kind === 'failed') return state
  return { kind: 'accepted', said: 'in hand', ...(isQuick ? { checkAfterMs: 10_000 } : {}) }
}

function lookup(side: Side, { key }: PayoutOrder): LookupOutcome {
  if (side.isDown() || (!side.isCalm() && side.random.chance(0.1))) {
    side.note('payout lookup without an answer')
    throw new TimedOut('no answer')
  }
  const entry = side.book.payouts.get(key)
  return entry ? stateOf(entry) : { kind: 'unknown', said: 'never heard of it' }
}

function tick(side: Side): void {
  const { clock, random, book } = side
  const nowMs = clock.now()
  const arrived = side.onTheirWay.filter(({ atMs }) => atMs <= nowMs)
  side.onTheirWay = side.onTheirWay.filter(({ atMs }) => atMs > nowMs)
  for (const { order } of arrived) take(side, order, random.int(slowestMs))
  for (const entry of book.payouts.values()) if (entry.settlesAtMs <= nowMs) settle(side, entry)
}

function take({ book, random, clock, isCalm }: Side, order: PayoutOrder, inMs: number): PaidEntry {
  const known = book.payouts.get(order.key)
  if (known) return known
  const outcome = random.chance(0.75) ? 'succeeded' : 'failed'
  const lies = !isCalm() && random.chance(0.04)
  const settlesAtMs = clock.now() + inMs
  const entry: PaidEntry = { order, outcome, settlesAtMs, moved: 0, isReversed: false, lies }
  book.payouts.set(order.key, entry)
  return entry
}

/** A request that was not heard in time: taken before, later or never. */
function beSilent(side: Side, order: PayoutOrder, when: 'before' | 'after' | 'late'): never {
  const { random, clock } = side
  const taken = { before: 'never', after: 'before', late: 'later' }[when]
  side.note(`payout timeout, taken ${taken}`)
  if (when === 'after') take(side, order, random.int(slowestMs))
  if (when === 'late') {
    side.onTheirWay.push({ order, atMs: clock.now() + random.between(1, latestArrivalMs) })
  }
  throw new TimedOut('no answer')
}

/** The end of a payment: its money leaves now, and news of it is sent, or not. */
function settle(side: Side, entry: PaidEntry): void {
  const { random, isCalm, note } = side
  entry.settlesAtMs = over
  if (entry.outcome === 'succeeded') entry.moved++
  const told = isCalm() ? 'once' : random.weighted({ once: 5, never: 2, twice: 2, wrong: 1 })
  if (entry.lies) lie(side, entry)
  else if (told === 'wrong') tell(side, entry, opposite(entry), { more: 1n })
  else if (told !== 'never') tell(side, entry, entry.outcome)
  if (told === 'twice') tell(side, entry, entry.outcome, { afterMs: random.between(0, 60_000) })
  if (told !== 'once') note(`payout news ${entry.lies ? 'contradicts' : told}`)
  if (entry.moved > 0 && !isCalm() && random.chance(0.06)) reverse(side, entry)
}

const opposite = ({ outcome }: PaidEntry) => (outcome === 'failed' ? 'succeeded' : 'failed')

/** First the opposite of what is true, and the truth when it is too late. */
function lie(side: Side, entry: PaidEntry): void {
  tell(side, entry, opposite(entry))
  tell(side, entry, entry.outcome, { afterMs: side.random.between(60_000, 600_000) })
}

function reverse(side: Side, entry: PaidEntry): void {
  entry.isReversed = true
  const afterMs = side.random.between(1_000, 3_600_000)
  const times = side.random.between(1, 2)
  for (let time = 0; time < times; time++) tell(side, entry, 'reversed', { afterMs })
  side.note('payout reversed')
}

function tell(
  side: Side,
  { order }: PaidEntry,
  kind: 'succeeded' | 'failed' | 'reversed',
  { more = 0n, afterMs = side.random.between(0, 5_000) } = {},
): void {
  const { key, currency } = order
  const amount = order.amount + more
  const said = { said: kind, reference: `R-${key}`, ...(kind === 'failed' ? { reason } : {}) }
  side.tell({ direction: 'payout', key, kind, amount, currency, ...said }, afterMs)
}

function stateOf({ settlesAtMs, outcome, order }: PaidEntry): LookupOutcome {
  if (settlesAtMs !== over) return { kind: 'pending', said: 'in hand' }
  const said = { said: outcome, reference: `R-${order.key}` }
  return outcome === 'failed' ? { kind: outcome, ...said, reason } : { kind: outcome, ...said }
}
