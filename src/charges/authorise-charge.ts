import { AppError, validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { StepAnswer } from '../rails/rail.ts'
import type { CardVault } from './card-vault.ts'
import type { Charge, ChargeEvent } from './charge.ts'
import { applyHeard, type ChargeParts } from './outcomes.ts'
import { attemptOf, detailsOf } from './send.ts'
import { readCharge } from './store.ts'

const maxWrongValues = 3
const stepNames: Readonly<Record<string, StepAnswer['step']>> = {
  otp: 'otp',
  pin: 'pin',
  address: 'address',
  avs: 'address',
}

/** Takes the customer's answer to the step a charge waits for. Returns the next step, if any. */
export async function authoriseCharge(
  parts: ChargeParts & { vault: CardVault },
  owner: Owner,
  id: string,
  given: { type: string; value: string },
): Promise<string | null> {
  const step = stepNames[given.type.trim().toLowerCase()]
  if (!step) throw validationError('type must be one of otp, pin, address, avs.')
  const charge = slotOf(id) === owner.slot ? await readCharge(parts.db, owner.slot, id) : undefined
  if (charge?.accountId !== owner.accountId) throw new AppError('TRANSACTION_NOT_FOUND')
  const rail = parts.routing.byName(charge.rail)
  if (!isWaitingFor(charge, step, parts.clock.now()) || !rail?.charges?.authorise) {
    throw new AppError('CHARGE_NOT_AWAITING_AUTHORISATION')
  }
  const startMs = parts.clock.now()
  const card = parts.vault.find(id)
  const outcome = await rail.charges
    .authorise(id, { step, value: given.value, card }, AbortSignal.timeout(rail.limits.timeoutMs))
    .catch((error) => ({ kind: 'unclear' as const, said: String(error) }))
  const attempt = attemptOf(parts, charge, 'authorise', outcome, startMs)
  if (outcome.kind === 'refused') {
    await noteWrongValue(parts, charge, attempt)
    throw new AppError('AUTHORISATION_FAILED')
  }
  const event: ChargeEvent = outcome.kind === 'accepted' ? 'taken' : outcome.kind
  await applyHeard(parts, charge, { event, attempt, ...detailsOf(outcome) })
  if (outcome.kind === 'failed') {
    throw new AppError('AUTHORISATION_FAILED', { message: outcome.reason })
  }
  if (outcome.kind === 'unclear' || outcome.kind === 'unavailable') {
    throw new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, detail: outcome.said })
  }
  if (outcome.kind === 'step') return outcome.step
  parts.vault.drop(id)
  return null
}

function isWaitingFor(charge: Charge, step: StepAnswer['step'], nowMs: number): boolean {
  const { state, stepRequired, deadlineAt } = charge
  return state === 'awaiting' && stepRequired === step && nowMs < deadlineAt.getTime()
}

/** The third wrong value ends the charge: whoever tries further is not the customer. */
async function noteWrongValue(
  parts: ChargeParts,
  charge: Charge,
  attempt: ReturnType<typeof attemptOf>,
): Promise<void> {
  const wrongValues = charge.wrongValues + 1
  const reason = 'A wrong authorisation value was given three times.'
  await applyHeard(
    parts,
    charge,
    wrongValues >= maxWrongValues
      ? { event: 'failed', reason, attempt }
      : { event: 'step', attempt, wrongValues },
  )
}
