import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type {
  CallbackMessage,
  CallbackNews,
  LookupOutcome,
  PayoutOrder,
  Rail,
  RailLimits,
  RailRoute,
  SubmitOutcome,
} from '../rail.ts'
import { behaviourOf, callbackPlan, type Result, resultAt } from './behaviour.ts'
import type { Book, BookEntry } from './book.ts'
import { sandboxCharges } from './charges.ts'
import { nameOf } from './names.ts'
import { referenceOf } from './reference.ts'
import { sandboxRoutes } from './routes.ts'

/** Ways to misbehave that tests can switch on while the rail runs. */
export type Faults = {
  outage?: boolean
  timeout?: 'before taking' | 'after taking'
  delayMs?: number
  callbacks?: 'none' | 'twice' | 'contradicting' | 'wrong amount'
}

export type SandboxRailOptions = {
  name?: string
  clock: Clock
  book: Book
  secret: Buffer
  faults?: Faults
  limits?: Partial<RailLimits>
  routes?: readonly RailRoute[]
}

const defaultLimits: RailLimits = { concurrency: 64, perSecond: 5000, timeoutMs: 10_000 }
const signatureHeader = 'x-sandbox-signature'

export function createSandboxRail(options: SandboxRailOptions): Rail {
  const { name = 'sandbox', clock, book, secret, faults = {} } = options
  return {
    name,
    routes: options.routes ?? sandboxRoutes(),
    limits: { ...defaultLimits, ...options.limits },
    promises: { keyIsUnique: true, unknownIsFinalAfterMs: 0 },
    payouts: {
      create: (order, signal) => create(order, signal),
      lookup: (order, signal) => lookup(order, signal),
    },
    charges: sandboxCharges({ name, clock, book, secret }),
    accounts: {
      resolve: async ({ country, accountNumber }) =>
        behaviourOf(accountNumber) === 'find no account'
          ? undefined
          : { accountId: accountNumber, accountName: nameOf(country, accountNumber) },
    },
    callbacks: {
      verify: (message) => isSigned(message, secret),
      translate: ({ body }) => newsFrom(checkedContent(JSON.parse(body.toString('utf8')))),
    },
  }

  async function create(order: PayoutOrder, signal: AbortSignal): Promise<SubmitOutcome> {
    signal.throwIfAborted()
    if (faults.delayMs) await sleep(faults.delayMs, undefined, { signal })
    if (faults.outage) return { kind: 'unavailable', said: 'connection refused' }
    const behaviour = behaviourOf(order.accountNumber)
    if (faults.timeout === 'before taking' || behaviour === 'never know') {
      return { kind: 'unclear', said: 'no answer in time' }
    }
    const takenAtMs = clock.now()
    const { afterMs, times } = callbackPlan(behaviour)
    const { key, accountNumber, amount, currency } = order
    await book.take({
      ...{ rail: name, key, direction: 'payout', accountNumber, amount, currency, behaviour },
      ...{ takenAtMs, stage: null, confirmedAtMs: null, refused: null },
      callbackDueAtMs: takenAtMs + afterMs,
      callbacks: faults.callbacks === 'none' ? 0 : faults.callbacks === 'twice' ? 2 : times,
    })
    if (faults.timeout === 'after taking' || behaviour === 'answer late') {
      return { kind: 'unclear', said: 'no answer in time' }
    }
    return { kind: 'accepted', said: 'accepted', reference: referenceOf(key) }
  }

  async function lookup(order: PayoutOrder, signal: AbortSignal): Promise<LookupOutcome> {
    signal.throwIfAborted()
    if (faults.delayMs) await sleep(faults.delayMs, undefined, { signal })
    if (faults.outage) return { kind: 'unclear', said: 'connection refused' }
    const entry = await book.find(name, order.key)
    if (!entry) return { kind: 'unknown', said: 'no such payment' }
    const result = resultAt(entry.behaviour, clock.now() - entry.takenAtMs)
    return { ...result, said: result.kind, reference: referenceOf(order.key) }
  }
}

/** The message the sandbox sends when it has come to a result. */
export function callbackFor(
  entry: BookEntry,
  nowMs: number,
  secret: Buffer,
  faults: Faults = {},
): CallbackMessage {
  const result = resultOf(entry, nowMs)
  const opposite = { succeeded: 'failed', failed: 'succeeded', pending: 'pending' } as const
  const kind = faults.callbacks === 'contradicting' ? opposite[result.kind] : result.kind
  const amount = faults.callbacks === 'wrong amount' ? entry.amount + 1n : entry.amount
  const reason = result.kind === 'failed' ? result.reason : undefined
  return signed(
    {
      ...{
        key: entry.key,
        direction: entry.direction,
        kind,
        reason,
        amount: amount.toString(),
        currency: entry.currency,
      },
      reference: referenceOf(entry.key),
    },
    secret,
  )
}

function resultOf(entry: BookEntry, nowMs: number): Result {
  if (entry.refused) return { kind: 'failed', reason: entry.refused }
  return resultAt(entry.behaviour, nowMs - (entry.confirmedAtMs ?? entry.takenAtMs))
}

/** The message the sandbox sends when money came into one of its virtual accounts. */
export function arrivalMessage(
  arrival: { id: string; accountNumber: string; amount: bigint; currency: string },
  secret: Buffer,
): CallbackMessage {
  const { id, accountNumber, amount, currency } = arrival
  const money = { amount: amount.toString(), currency, reference: id }
  const about = { key: '', direction: 'charge', kind: 'succeeded', arrival: { id, accountNumber } }
  return signed({ ...about, ...money }, secret)
}

export function signed(content: object, secret: Buffer): CallbackMessage {
  const body = Buffer.from(JSON.stringify(content))
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return { headers: { [signatureHeader]: signature }, body }
}

function isSigned({ headers, body }: CallbackMessage, secret: Buffer): boolean {
  const given = Buffer.from(headers[signatureHeader] ?? '', 'hex')
  const right = createHmac('sha256', secret).update(body).digest()
  return given.length === right.length && timingSafeEqual(given, right)
}

type CallbackContent = Omit<CallbackNews, 'said' | 'amount'> & { amount: string }

const newsKinds: readonly unknown[] = ['succeeded', 'failed', 'reversed', 'pending']
const directions: readonly unknown[] = ['payout', 'charge']

/** What is signed can still be nonsense, and nonsense must not get as far as the record. */
function checkedContent(content: unknown): CallbackContent {
  const { key, direction, kind, amount, arrival, ...rest } = Object(content)
  const { currency, reference, reason = '' } = rest
  const { id = '', accountNumber = '' } = Object(arrival)
  const texts = [key, amount, currency, reference, reason, id, accountNumber]
  const isWhole =
    texts.every((text) => typeof text === 'string' && !text.includes('\0')) &&
    newsKinds.includes(kind) &&
    directions.includes(direction) &&
    /^\d{1,18}$/.test(amount)
  if (isWhole) return content as CallbackContent
  throw new Error('the callback lacks something, or has something that cannot be')
}

function newsFrom({ amount, ...content }: CallbackContent): CallbackNews {
  return { ...content, said: content.kind, amount: BigInt(amount) }
}
