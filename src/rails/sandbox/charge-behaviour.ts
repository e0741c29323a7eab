import type { ChargeStep } from '../rail.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'

/** What the sandbox does with a charge: which steps the customer takes, and how it ends. */
export type ChargePlan = { steps: readonly ChargeStep[]; behaviour: Behaviour }

export const sandboxOtp = '123456'
export const sandboxCardOtp = '12345'
export const sandboxPin = '3310'

/** The published test cards, and what each of them does. */
export const testCards: Readonly<Record<string, ChargePlan>> = {
  '4242424242424242': { steps: [], behaviour: 'succeed' },
  '5555555555554444': { steps: [], behaviour: 'succeed' },
  '4000000000000002': { steps: [], behaviour: 'decline' },
  '4000000000009995': { steps: [], behaviour: 'lack funds' },
  '4000002760003184': { steps: ['redirect'], behaviour: 'succeed' },
  '5531886652142950': { steps: ['pin', 'otp'], behaviour: 'succeed' },
  '4556052704172643': { steps: ['address'], behaviour: 'succeed' },
  '4000000000000069': { steps: [], behaviour: 'refuse card' },
}

export function planOfCard(number: string): ChargePlan {
  return testCards[number] ?? { steps: [], behaviour: 'succeed' }
}

/** Operators whose customers confirm on a page of the operator. */
const hostedOperators = new Set(['wave'])

export function planOfPhone(phoneNumber: string, operator: string | null): ChargePlan {
  const behaviour = behaviourOf(phoneNumber)
  if (behaviour === 'ask for otp') return { steps: ['otp'], behaviour: 'succeed' }
  const hosted = operator !== null && hostedOperators.has(operator)
  return { steps: hosted ? ['redirect'] : [], behaviour }
}

/** Whether the customer's answer to a step is the right one. */
export function isRightAnswer(step: ChargeStep, value: string, method: string): boolean {
  if (step === 'pin') return value === sandboxPin
  if (step === 'otp') return value === (method === 'card' ? sandboxCardOtp : sandboxOtp)
  return step === 'address' && isAddress(value)
}

/** An address is a JSON text with the fields of a billing address. */
function isAddress(text: string): boolean {
  try {
    const address = JSON.parse(text) as Record<string, unknown>
    const filled = (field: string) => typeof address[field] === 'string' && address[field] !== ''
    return ['street1', 'city', 'country'].every(filled)
  } catch {
    return false
  }
}
