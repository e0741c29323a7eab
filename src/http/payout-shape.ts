import type { AppError } from '../errors.ts'
import { createPayout } from './routes/create-payout.ts'
import { validationFault, validatorOf } from './validation.ts'

/** Says what the API would find wrong with the form of a payout that comes by another way. */
export function payoutShape(): (request: object) => AppError | undefined {
  const isFit = validatorOf('body', createPayout.input.body!)
  return (request) => (isFit(request) ? undefined : validationFault('body', isFit.errors ?? []))
}
