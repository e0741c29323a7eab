import type { Card, ChargeLookup, ChargeOrder, ChargeOutcome, Rail } from '../rails/rail.ts'
import type { Attempt } from '../transactions/attempts.ts'
import type { Charge, ChargeEvent } from './charge.ts'
import { applyHeard, type ChargeParts, type Heard } from './outcomes.ts'

/** What is known for the length of one call only. */
export type Secrets = { card: Card | null; code: string | null }
export const noSecrets: Secrets = { card: null, code: null }

const minSecretLength = 3

const eventOfOutcome: Record<ChargeOutcome['kind'], ChargeEvent> = {
  accepted: 'taken',
  step: 'step',
  succeeded: 'succeeded',
  failed: 'failed',
  unavailable: 'unavailable',
  unclear: 'unclear',
}

/** Sends a charge to its rail and applies the answer. */
export async function sendCharge(
  parts: ChargeParts,
  rail: Rail,
  charge: Charge,
  secrets: Secrets,
): Promise<ChargeOutcome> {
  const startMs = parts.clock.now()
  const outcome = await rail
    .charges!.create(orderOf(charge, secrets), AbortSignal.timeout(rail.limits.timeoutMs))
    .catch((error): ChargeOutcome => ({ kind: 'unclear', said: String(error) }))
    .then((said) => withoutSecrets(said, [secrets.card?.number, secrets.card?.cvv, secrets.code]))
  await applyHeard(parts, charge, {
    event: eventOfOutcome[outcome.kind],
    attempt: attemptOf(parts, charge, 'submit', outcome, startMs),
    ...detailsOf(outcome),
  })
  return outcome
}

/** A rail may quote what it was sent. Its words are kept, so what is secret is taken out. */
export function withoutSecrets<Outcome extends Said>(
  outcome: Outcome,
  secrets: readonly (string | null | undefined)[],
): Outcome {
  const known = secrets.filter((secret) => secret && secret.length >= minSecretLength) as string[]
  const clean = (text: string) => known.reduce((left, each) => left.replaceAll(each, '…'), text)
  const { said, reason } = outcome
  return { ...outcome, said: clean(said), ...(reason ? { reason: clean(reason) } : {}) }
}

/** Asks the rail what became of a charge, and applies the answer. */
export async function askAboutCharge(
  parts: ChargeParts,
  rail: Rail,
  charge: Charge,
  timeoutMs: number,
): Promise<ChargeLookup['kind']> {
  const startMs = parts.clock.now()
  const outcome = await rail
    .charges!.lookup(charge.id, AbortSignal.timeout(timeoutMs))
    .catch((error): ChargeLookup => ({ kind: 'unclear', said: String(error) }))
  await applyHeard(parts, charge, {
    // An answer may be read long after it was given: it is as old as the question.
    event: eventOfLookup(outcome, rail, charge, startMs),
    attempt: attemptOf(parts, charge, 'lookup', outcome, startMs),
    ...detailsOf(outcome),
  })
  return outcome.kind
}

function eventOfLookup(
  { kind }: ChargeLookup,
  rail: Rail,
  charge: Charge,
  askedMs: number,
): ChargeEvent {
  if (kind !== 'unknown') return kind
  const sentMs = charge.submittedAt?.getTime() ?? charge.createdAt.getTime()
  return askedMs - sentMs >= rail.promises.unknownIsFinalAfterMs ? 'unknown' : 'unclear'
}

function orderOf(charge: Charge, { card, code }: Secrets): ChargeOrder {
  const { id: key, environment, method, country, currency, amount, details } = charge
  const name = [details?.firstName, details?.lastName].filter(Boolean).join(' ')
  return {
    ...{ key, environment, method, country, currency, amount, card, code },
    phoneNumber: method === 'momo' ? charge.accountNumber : null,
    operator: charge.code,
    customer: {
      email: details?.email ?? null,
      name: name === '' ? null : name,
      ip: details?.ipAddress ?? null,
    },
    deadlineMs: charge.deadlineAt.getTime() - charge.createdAt.getTime(),
  }
}

type Said = {
  kind: string
  said: string
  reference?: string
  reason?: string
  checkAfterMs?: number
  step?: Heard['step']
  redirectTo?: string
}

export function detailsOf(outcome: Said): Omit<Heard, 'event' | 'attempt'> {
  const { reference, reason, checkAfterMs, step, redirectTo } = outcome
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(reason === undefined ? {} : { reason }),
    ...(checkAfterMs === undefined ? {} : { checkAfterMs }),
    ...(step === undefined ? {} : { step }),
    ...(redirectTo === undefined ? {} : { redirectTo }),
  }
}

export function attemptOf(
  { ids, clock }: Pick<ChargeParts, 'ids' | 'clock'>,
  charge: Charge,
  action: Attempt['action'],
  { kind, said }: Pick<Said, 'kind' | 'said'>,
  startMs: number,
): Attempt {
  const durationMs = Math.max(0, Math.floor(clock.now() - startMs))
  const id = ids.next(charge.slot)
  return { id, rail: charge.rail, action, outcome: kind, said, durationMs, atMs: clock.now() }
}
