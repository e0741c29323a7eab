import type { PostedTransfer } from '../ledger/transfers-of.ts'
import { sayMinor } from '../money/amounts.ts'
import type { AttemptRow } from './history.ts'
import type { TransactionRow } from './row.ts'
import type { Tone } from './timeline.ts'

/** The sentences of a timeline. English, and the only place that has them. */

/** A moment within a sentence: to the minute, and in UTC, which it says. */
export const sayMoment = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

type Said = { title: string; detail: string; tone: Tone }

export const ofRail = (rail: string | null): string =>
  rail === null || rail === '' ? 'The rail' : `The ${rail} rail`

const steps: Record<string, string> = {
  otp: 'a code they were sent',
  pin: 'their PIN',
  address: 'their address',
  redirect: 'a page of their bank',
}

export const stepWords = (step: string | null): string =>
  step === null ? 'they have to confirm it' : (steps[step] ?? step)

type Words = Record<string, [words: string, tone: Tone]>

const submitted: Words = {
  accepted: ['accepted', 'neutral'],
  succeeded: ['done at once', 'good'],
  failed: ['refused', 'bad'],
  step: ['the customer has something to do', 'waiting'],
  unavailable: ['it could not be reached, so nothing was sent', 'bad'],
  unclear: ['no clear answer, so it is asked before anything is sent again', 'waiting'],
}
const asked: Words = {
  pending: ['still in progress', 'waiting'],
  accepted: ['still in progress', 'waiting'],
  succeeded: ['done', 'good'],
  failed: ['failed', 'bad'],
  step: ['the customer has something to do', 'waiting'],
  unknown: ['it has never heard of it', 'bad'],
  unclear: ['no clear answer', 'waiting'],
}
const authorised: Words = {
  accepted: ['accepted', 'neutral'],
  succeeded: ['done', 'good'],
  step: ['something more is wanted', 'waiting'],
  refused: ['it was wrong', 'bad'],
  failed: ['refused', 'bad'],
  unavailable: ['the rail could not be reached', 'bad'],
  unclear: ['no clear answer', 'waiting'],
}
const heard: Words = {
  succeeded: ['the payment is done', 'good'],
  failed: ['the payment failed', 'bad'],
  pending: ['the payment is still in progress', 'waiting'],
}

export function sayAttempt(attempt: AttemptRow, row: Pick<TransactionRow, 'stepRequired'>): Said {
  const { action, outcome, rail } = attempt
  const name = ofRail(rail)
  const lower = name.replace(/^The/, 'the')
  const [words, tone] = wordsOf(action, outcome)
  const title = {
    submit: `Sent to ${lower}: ${words}`,
    lookup: `Asked ${lower}: ${words}`,
    authorise: `The customer's answer was passed on: ${words}`,
    callback: `${name} told us: ${words}`,
    deadline: 'The time to pay ran out',
  }[action]
  const isWaiting = outcome === 'step' && row.stepRequired !== null
  const detail = isWaiting ? `Wanted: ${stepWords(row.stepRequired)}. ` : ''
  return { title, detail: detail + saidBy(attempt), tone: action === 'deadline' ? 'bad' : tone }
}

function wordsOf(action: AttemptRow['action'], outcome: string): [string, Tone] {
  const table = { submit: submitted, lookup: asked, authorise: authorised, callback: heard }
  const words: Words = action === 'deadline' ? {} : table[action]
  return words[outcome] ?? [outcome, 'neutral']
}

function saidBy({ said, outcome, durationMs, action }: AttemptRow): string {
  const quote = said === '' || said === outcome ? '' : `It said: ${said.replace(/\.$/, '')}. `
  return action === 'callback' || action === 'deadline'
    ? quote.trim()
    : `${quote}It took ${durationMs} ms.`
}

export function sayTransfer(transfer: PostedTransfer): Said {
  const { debit, credit, currency, availableAfter, heldAfter } = transfer
  const after =
    availableAfter === null || heldAfter === null
      ? ''
      : ` After it ${sayMinor(availableAfter, currency)} are available` +
        ` and ${sayMinor(heldAfter, currency)} held.`
  return { ...titleOf(transfer), detail: `${debit} → ${credit}.${after}` }
}

function titleOf(transfer: PostedTransfer): Pick<Said, 'title' | 'tone'> {
  const { step, debit, credit, amount, currency } = transfer
  const money = sayMinor(amount, currency)
  const say = (title: string, tone: Tone = 'neutral') => ({ title, tone })
  const isFee = step.endsWith('fee')
  const railOf = (account: string) => ofRail(account.slice('rail:'.length)).replace(/^The/, 'the')
  if (credit === 'held') return say(`Held ${money} in the wallet${isFee ? ' for the fee' : ''}`)
  if (credit === 'fees') return say(`Took ${money} as our fee`)
  if (debit === 'held' && credit === 'wallet') {
    return say(`Returned ${money} to the wallet${isFee ? ', the fee' : ''}`)
  }
  if (debit.startsWith('rail:') && credit === 'fx') {
    return say(`Received ${money} from ${railOf(debit)}`)
  }
  if (credit === 'fx') return say(`Converted ${money}`)
  if (credit.startsWith('rail:')) return say(`Paid ${money} out through ${railOf(credit)}`, 'good')
  if (debit.startsWith('rail:')) {
    return say(`Credited ${money} to the wallet, received from ${railOf(debit)}`, 'good')
  }
  if (debit === 'fx') return say(`Credited ${money} to the wallet, converted`, 'good')
  return say(`Moved ${money} from ${debit} to ${credit}`)
}
