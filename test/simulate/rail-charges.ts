import type {
  ChargeLookup,
  ChargeOrder,
  ChargeOutcome,
  ChargeStep,
  StepAnswer,
} from '../../src/rails/rail.ts'
import { type RailParts, TimedOut } from './rail.ts'
import type { ChargedEntry } from './rail-book.ts'

export const rightValue = '1234'
const reason = 'The customer declined.'
const slowestMs = 1_500_000
const never = Number.POSITIVE_INFINITY

export type ChargeSide = ReturnType<typeof createChargeSide>

/** Money in, as the rail and its customers see it. */
export function createChargeSide(parts: RailParts) {
  return {
    tick: () => tick(parts),
    create: (order: ChargeOrder) => create(parts, order),
    authorise: (key: string, answer: StepAnswer) => authorise(parts, key, answer),
    lookup: (key: string) => lookup(parts, key),
    /** A customer on a page of the rail goes through with it; says whether there was one. */
    confirmPage: () => confirmPage(parts),
    /** A customer pays into a virtual account: the right amount, or another, or elsewhere. */
    payIn: () => payIn(parts),
  }
}

function tick(parts: RailParts): void {
  const nowMs = parts.clock.now()
  for (const entry of parts.book.charges.values()) {
    if (entry.settlesAtMs <= nowMs) settle(parts, entry)
  }
}

function create(parts: RailParts, order: ChargeOrder): ChargeOutcome {
  if (parts.isDown()) return { kind: 'unavailable', said: 'down' }
  const silence = silenceAt(parts, 'create')
  if (silence === 'before') throw new TimedOut('no answer')
  const entry = take(parts, order)
  if (silence === 'after') throw new TimedOut('no answer')
  return answerOf(entry)
}

function authorise(parts: RailParts, key: string, { step, value }: StepAnswer) {
  const silence = silenceAt(parts, 'authorise')
  if (silence === 'before') throw new TimedOut('no answer')
  const entry = parts.book.charges.get(key)
  if (!entry) return { kind: 'failed' as const, said: 'unknown', reason }
  if (entry.steps[0] !== step) return answerOf(entry)
  if (value !== rightValue) return { kind: 'refused' as const, said: 'wrong value' }
  advance(parts, entry)
  if (silence === 'after') throw new TimedOut('no answer')
  return answerOf(entry)
}

function lookup(parts: RailParts, key: string): ChargeLookup {
  if (silenceAt(parts, 'lookup')) throw new TimedOut('no answer')
  const entry = parts.book.charges.get(key)
  return entry ? stateOf(entry) : { kind: 'unknown', said: 'never heard of it' }
}

/** Whether the rail says nothing this time, and whether that is before or after it acted. */
function silenceAt(parts: RailParts, what: string): 'before' | 'after' | undefined {
  if (parts.isDown()) return 'before'
  if (parts.isCalm() || !parts.random.chance(0.2)) return undefined
  const when = parts.random.pick(['before', 'after'] as const)
  parts.note(`charge ${what} timeout, taken ${when === 'before' ? 'never' : 'before'}`)
  return when
}

function take({ name, book, random, clock, isCalm }: RailParts, order: ChargeOrder): ChargedEntry {
  const known = book.charges.get(order.key)
  if (known) return known
  const isAccount = order.method === 'bank'
  const steps = isAccount ? [] : stepsOf(random, order)
  const waits = isAccount || steps.length > 0
  const entry: ChargedEntry = {
    ...{ order, steps, collected: 0 },
    lies: !isAccount && !isCalm() && random.chance(0.04),
    accountNumber: isAccount ? `${name}-${book.charges.size + 1}` : null,
    outcome: random.chance(0.75) ? 'succeeded' : 'failed',
    settlesAtMs: waits ? never : clock.now() + random.int(slowestMs),
  }
  book.charges.set(order.key, entry)
  return entry
}

function stepsOf(random: RailParts['random'], { method }: ChargeOrder): ChargeStep[] {
  if (method === 'momo') return random.chance(0.3) ? ['otp'] : []
  return [...random.pick<ChargeStep[]>([[], ['otp'], ['pin', 'otp'], ['address'], ['redirect']])]
}

/** The customer has done what was asked. */
function advance({ clock, random }: RailParts, entry: ChargedEntry): void {
  entry.steps.shift()
  if (entry.steps.length === 0) entry.settlesAtMs = clock.now() + random.int(120_000)
}

function settle(parts: RailParts, entry: ChargedEntry): void {
  const { random, isCalm, note } = parts
  entry.settlesAtMs = never
  if (entry.outcome === 'succeeded') entry.collected++
  const isWrong = !entry.lies && !isCalm() && random.chance(0.1)
  if (entry.lies || isWrong) {
    // A lie looks true; what is only wrong has another amount and is not to be believed.
    note(`charge news ${isWrong ? 'wrong' : 'contradicts'}`)
    const opposite = entry.outcome === 'failed' ? 'succeeded' : 'failed'
    tell(parts, entry, opposite, { more: isWrong ? 1n : 0n })
  }
  // News of money is told until it is heard; that of a failure may be lost.
  if (entry.outcome === 'succeeded' || random.chance(0.7)) {
    tell(parts, entry, entry.outcome, { withinMs: 60_000 })
  }
  if (!isCalm() && random.chance(0.2)) {
    note('charge news twice')
    tell(parts, entry, entry.outcome, { withinMs: 600_000 })
  }
}

function tell(
  parts: RailParts,
  { order }: ChargedEntry,
  kind: 'succeeded' | 'failed',
  { more = 0n, withinMs = 1_000 } = {},
): void {
  const { key, amount, currency } = order
  const told = { amount: amount + more, currency, said: kind }
  const why = kind === 'failed' ? { reason } : {}
  parts.tell({ direction: 'charge', key, kind, ...told, ...why }, parts.random.int(withinMs))
}

function stateOf(entry: ChargedEntry): ChargeLookup {
  const [step] = entry.steps
  if (step) return stepOf(step)
  if (entry.accountNumber !== null || entry.settlesAtMs !== never) {
    return { kind: 'pending', said: 'in hand' }
  }
  const { outcome } = entry
  return outcome === 'failed'
    ? { kind: outcome, said: outcome, reason }
    : { kind: outcome, said: outcome }
}

function stepOf(step: ChargeStep) {
  const page = step === 'redirect' ? { redirectTo: 'https://rail.example/page' } : {}
  return { kind: 'step' as const, said: `asks for ${step}`, step, ...page }
}

function answerOf(entry: ChargedEntry): ChargeOutcome {
  const state = stateOf(entry)
  if (state.kind !== 'pending' && state.kind !== 'unknown') return state
  const { accountNumber } = entry
  const bank = { bankName: 'Rail Bank', note: 'Pay here.' }
  const opened = accountNumber ? { virtualAccount: { accountNumber, ...bank } } : {}
  return { kind: 'accepted', said: 'in hand', ...opened }
}

function confirmPage(parts: RailParts): boolean {
  const { book, random } = parts
  const waiting = [...book.charges.values()].filter(({ steps }) => steps[0] === 'redirect')
  if (waiting.length > 0) advance(parts, random.pick(waiting))
  return waiting.length > 0
}

function payIn(parts: RailParts): boolean {
  const { book, random, name } = parts
  const open = [...book.charges.values()].filter(({ accountNumber }) => accountNumber !== null)
  if (open.length === 0) return false
  const entry = random.pick(open)
  const { amount, currency } = entry.order
  const paid = random.weighted({ right: 8, less: 1, more: 1 })
  const change = paid === 'right' ? 0n : paid === 'less' ? -1n : 1n
  const isElsewhere = random.chance(0.05)
  const accountNumber = isElsewhere ? `${name}-nobody` : entry.accountNumber!
  const id = `${name}-arrival-${book.arrivals.size + 1}`
  const arrival = { id, accountNumber, amount: amount + change, currency }
  book.arrivals.set(id, arrival)
  const money = { amount: arrival.amount, currency, arrival: { id, accountNumber } }
  const about = { direction: 'charge', key: id, kind: 'succeeded', said: 'paid in' } as const
  for (let times = random.between(1, 3); times > 0; times--) {
    parts.tell({ ...about, ...money }, random.int(times * 30_000))
  }
  return true
}
