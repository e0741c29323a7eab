/**
 * What the sandbox does with a payment is decided by the last digits of the number it goes to, so
 * that every test can be written down and gives the same result every time.
 */
export type Behaviour =
  | 'succeed'
  | 'decline'
  | 'lack funds'
  | 'stay silent'
  | 'ask for otp'
  | 'answer late'
  | 'never know'
  | 'call back twice'
  | 'find no account'
  | 'wait for transfer'
  | 'refuse card'

export const behaviours: Readonly<Record<string, Behaviour>> = {
  '000': 'succeed',
  '001': 'decline',
  '002': 'lack funds',
  '003': 'stay silent',
  '004': 'ask for otp',
  '005': 'answer late',
  '006': 'never know',
  '007': 'call back twice',
  '008': 'find no account',
}

export function behaviourOf(accountNumber: string): Behaviour {
  return behaviours[accountNumber.slice(-3)] ?? 'succeed'
}

/** How long the sandbox takes to come to its result. */
export const resultAfterMs = 1000
/** When it gives up on a payment nobody answers. */
export const deadlineMs = 15 * 60_000

export type Result =
  | { kind: 'pending'; checkAfterMs: number }
  | { kind: 'succeeded' }
  | { kind: 'failed'; reason: string }

const failures: Partial<Record<Behaviour, string>> = {
  decline: 'The customer declined.',
  'lack funds': 'Insufficient balance.',
  'find no account': 'The account was not found.',
}

/** The result at an age of the payment. It depends on nothing else, so it never changes. */
export function resultAt(behaviour: Behaviour, ageMs: number): Result {
  if (behaviour === 'stay silent') {
    return ageMs < deadlineMs
      ? { kind: 'pending', checkAfterMs: Math.min(deadlineMs - ageMs, 60_000) }
      : { kind: 'failed', reason: 'Nobody answered in time.' }
  }
  if (ageMs < resultAfterMs) return { kind: 'pending', checkAfterMs: resultAfterMs - ageMs }
  const reason = failures[behaviour]
  return reason === undefined ? { kind: 'succeeded' } : { kind: 'failed', reason }
}

/** When the sandbox calls back with the result, and how often. */
export function callbackPlan(behaviour: Behaviour): { afterMs: number; times: number } {
  if (behaviour === 'stay silent') return { afterMs: deadlineMs, times: 1 }
  return { afterMs: resultAfterMs, times: behaviour === 'call back twice' ? 2 : 1 }
}
