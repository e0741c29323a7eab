import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type {
  ChargeLookup,
  ChargeOrder,
  ChargeOutcome,
  ChargeStep,
  Rail,
  StepAnswer,
} from '../rail.ts'
import { resultAfterMs, resultAt } from './behaviour.ts'
import type { Book, BookEntry } from './book.ts'
import { type ChargePlan, isRightAnswer, planOfCard, planOfPhone } from './charge-behaviour.ts'
import { referenceOf } from './reference.ts'

type Parts = { name: string; clock: Clock; book: Book; secret: Buffer }

const failures: Record<string, string> = { 'refuse card': 'The card has expired.' }

/** The charge side of the sandbox rail. */
export function sandboxCharges(parts: Parts): NonNullable<Rail['charges']> {
  const { name, clock, book } = parts
  return {
    async create(order) {
      if (order.method === 'bank') return openAccount(parts, order)
      const plan = planOf(order)
      const refused = failures[plan.behaviour]
      if (refused) return { kind: 'failed', said: 'refused', reason: refused }
      if (plan.behaviour === 'never know') return { kind: 'unclear', said: 'no answer in time' }
      const entry = await take(parts, order, plan)
      if (plan.behaviour === 'answer late') return { kind: 'unclear', said: 'no answer in time' }
      return outcomeOf(parts, entry)
    },
    async authorise(key, answer) {
      const entry = await book.find(name, key)
      if (!entry) return { kind: 'unclear', said: 'no such payment' }
      return authorise(parts, entry, answer)
    },
    async lookup(key): Promise<ChargeLookup> {
      const entry = await book.find(name, key)
      if (!entry) return { kind: 'unknown', said: 'no such payment' }
      if (entry.refused) return { kind: 'failed', said: 'refused', reason: entry.refused }
      if (entry.stage) return stepOf(parts, entry, entry.stage)
      if (entry.behaviour === 'wait for transfer') return { kind: 'pending', said: 'not paid yet' }
      // It never comes to a result by itself: the deadline of the charge ends it.
      if (entry.behaviour === 'stay silent') return { kind: 'pending', said: 'no answer yet' }
      const result = resultAt(entry.behaviour, clock.now() - confirmedMs(entry))
      return { ...result, said: result.kind, reference: referenceOf(key) }
    },
  }
}

const confirmedMs = (entry: BookEntry) => entry.confirmedAtMs ?? entry.takenAtMs

function planOf({ card, phoneNumber, operator }: ChargeOrder): ChargePlan {
  return card ? planOfCard(card.number) : planOfPhone(phoneNumber ?? '', operator)
}

function take(parts: Parts, order: ChargeOrder, plan: ChargePlan): Promise<BookEntry> {
  const { name, clock, book } = parts
  const takenAtMs = clock.now()
  const { key, amount, currency, card, phoneNumber } = order
  const [stage = null] = plan.steps
  const isSilent = plan.behaviour === 'stay silent'
  return book.take({
    ...{ rail: name, key, direction: 'charge', amount, currency, behaviour: plan.behaviour },
    // Of a card the sandbox keeps no more than we do.
    accountNumber: card
      ? `${card.number.slice(0, 6)}…${card.number.slice(-4)}`
      : (phoneNumber ?? ''),
    ...{ takenAtMs, stage, confirmedAtMs: null, refused: null },
    callbackDueAtMs: takenAtMs + resultAfterMs,
    callbacks: stage || isSilent ? 0 : plan.behaviour === 'call back twice' ? 2 : 1,
  })
}

function outcomeOf(parts: Parts, entry: BookEntry): ChargeOutcome {
  if (entry.stage) return stepOf(parts, entry, entry.stage)
  return { kind: 'accepted', said: 'accepted', reference: referenceOf(entry.key) }
}

function stepOf(parts: Parts, entry: BookEntry, step: ChargeStep) {
  const base = { kind: 'step' as const, said: `asks for ${step}`, step }
  const reference = referenceOf(entry.key)
  if (step !== 'redirect') return { ...base, reference }
  return { ...base, reference, redirectTo: `/sandbox/confirm/${linkOf(parts.secret, entry.key)}` }
}

async function authorise(parts: Parts, entry: BookEntry, answer: StepAnswer) {
  if (entry.refused) {
    return { kind: 'failed' as const, said: 'refused', reason: entry.refused }
  }
  // A step that was taken already: the answer is how it stands, and counts for nothing.
  if (entry.stage !== answer.step) return outcomeOf(parts, entry)
  if (answer.step === 'pin' && answer.card === null) {
    const reason = 'The card has to be entered again.'
    return { kind: 'failed' as const, said: 'the card is missing', reason }
  }
  const method = entry.accountNumber.includes('…') ? 'card' : 'momo'
  if (!isRightAnswer(answer.step, answer.value, method)) {
    return { kind: 'refused' as const, said: 'wrong value' }
  }
  // The test card that asks for a pin asks for a one-time password after it.
  const stage = answer.step === 'pin' ? ('otp' as const) : null
  return outcomeOf(parts, await confirm(parts, entry, stage))
}

/** The customer took a step: the next one follows, or the result comes a moment later. */
export async function confirm(
  { clock, book }: Pick<Parts, 'clock' | 'book'>,
  entry: BookEntry,
  stage: ChargeStep | null,
): Promise<BookEntry> {
  const nowMs = clock.now()
  const callbackDueAtMs = stage === null ? nowMs + resultAfterMs : null
  return book.advance(entry.rail, entry.key, {
    ...{ from: entry.stage, stage, confirmedAtMs: nowMs, refused: null, callbackDueAtMs },
  })
}

/** The customer did not go through with it. */
export function refuse(
  { clock, book }: Pick<Parts, 'clock' | 'book'>,
  entry: BookEntry,
  reason: string,
): Promise<BookEntry> {
  const nowMs = clock.now()
  return book.advance(entry.rail, entry.key, {
    ...{ from: entry.stage, stage: null, confirmedAtMs: nowMs, refused: reason },
    callbackDueAtMs: nowMs,
  })
}

/** A number nobody can guess from the key, and the same for the same key. */
function accountNumberOf(secret: Buffer, key: string): string {
  const digest = createHmac('sha256', secret).update(`account ${key}`).digest()
  // Ten digits as real ones have, and all of them used, so that no two charges meet.
  return (digest.readBigUInt64BE() % 10n ** 10n).toString().padStart(10, '0')
}

async function openAccount(parts: Parts, order: ChargeOrder): Promise<ChargeOutcome> {
  const accountNumber = accountNumberOf(parts.secret, order.key)
  const { key, amount, currency } = order
  await parts.book.take({
    ...{ rail: parts.name, key, direction: 'charge', accountNumber, amount, currency },
    ...{ behaviour: 'wait for transfer', takenAtMs: parts.clock.now(), callbacks: 0 },
    ...{ callbackDueAtMs: 0, stage: null, confirmedAtMs: null, refused: null },
  })
  const note = 'Transfer the exact amount to this account before it expires.'
  const virtualAccount = { accountNumber, bankName: 'Malipo Sandbox Bank', note }
  return { kind: 'accepted', said: 'account opened', reference: referenceOf(key), virtualAccount }
}

/** A link to the page of a redirect step: the key and a signature nobody else can make. */
export function linkOf(secret: Buffer, key: string): string {
  return `${key}.${signatureOf(secret, key)}`
}

export function keyOfLink(secret: Buffer, link: string): string | undefined {
  const [key = '', signature = ''] = link.split('.')
  const given = Buffer.from(signature)
  const right = Buffer.from(signatureOf(secret, key))
  return given.length === right.length && timingSafeEqual(given, right) ? key : undefined
}

function signatureOf(secret: Buffer, key: string): string {
  return createHmac('sha256', secret).update(`confirm ${key}`).digest('base64url')
}
