import { AppError, validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { StepAnswer } from '../rails/rail.ts'
import type { Attempt } from '../transactions/attempts.ts'
import type { CardVault } from './card-vault.ts'
import type { Charge, ChargeEvent } from './charge.ts'
import { applyHeard, type ChargeParts, writeWrongValue } from './outcomes.ts'
import { attemptOf, detailsOf, withoutSecrets } from './send.ts'
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
    .then((said) => withoutSecrets(said, [card?.number, card?.cvv, given.value]))
  const attempt = attemptOf(parts, charge, 'authorise', outcome, startMs)
  if (outcome.kind === 'refused') {
    await noteWrongValue(parts, charge, attempt)
    throw new AppError('AUTHORISATION_FAILED')
  }
  const event: ChargeEvent = outcome.kind === 'accepted' ? 'taken' : outcome.kind
  const finding = await applyHeard(parts, charge, { event, attempt, ...detailsOf(outcome) })
  if (outcome.kind === 'failed') {
    parts.vault.drop(id)
    throw new AppError('AUTHORISATION_FAILED', { message: outcome.reason })
  }
  if (outcome.kind === 'unclear' || outcome.kind === 'unavailable') {
    throw new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, detail: outcome.said })
  }
  // It ended meanwhile: by its deadline, or by a third wrong value.
  if (finding !== 'applied') throw new AppError('CHARGE_NOT_AWAITING_AUTHORISATION')
  if (outcome.kind === 'step') return outcome.step
  parts.vault.drop(id)
  return null
}

function isWaitingFor(charge: Charge, step: StepAnswer['step'], nowMs: number): boolean {
  const { state, stepRequired, deadlineAt } = charge
  return state === 'awaiting' && stepRequired === step && nowMs < deadlineAt.getTime()
}

/**
 * The third wrong value ends the charge: whoever tries further is not the customer. Values given
 * at once are counted one after another; those that come when the step is over count for nothing.
 */
async function noteWrongValue(
  parts: ChargeParts & { vault: CardVault },
  charge: Charge,
  attempt: Attempt,
): Promise<void> {
  let current: Charge | undefined = charge
  while (current?.state === 'awaiting' && current.stepRequired === charge.stepRequired) {
    const wrongValues = current.wrongValues + 1
    const isLast = wrongValues >= maxWrongValues
    if (await writeWrongValue(parts, current, { wrongValues, isLast, attempt })) {
      if (isLast) parts.vault.drop(charge.id)
      return
    }
    current = await readCharge(parts.db, charge.slot, charge.id)
  }
}
