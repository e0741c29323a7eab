import { timeOf } from '../ids.ts'
import { sayMinor } from '../money/amounts.ts'
import type { CallbackRow, History, SuspenseRow } from './history.ts'
import type { TransactionRow } from './row.ts'
import { ofRail, sayAttempt, sayMoment, sayTransfer, stepWords } from './timeline-words.ts'

export type Tone = 'neutral' | 'good' | 'bad' | 'waiting'
export type TimelineKind = 'request' | 'state' | 'rail' | 'callback' | 'transfer' | 'webhook'

/** One thing that happened, in a sentence for somebody who has to explain it to a customer. */
export type TimelineEntry = {
  at: Date
  kind: TimelineKind
  title: string
  detail: string
  tone: Tone
}

/** What the merchant was told, as far as it belongs here. */
export type ToldEvent = {
  event: string
  status: 'CREATED' | 'FAILED' | 'SUCCESS'
  createdAt: Date
  /** When it is to be sent; none while it waits for a URL or for the end of a pause. */
  dueAt: Date | null
  attempts: readonly { at: Date; durationMs: number; status: string; answer: string }[]
}

/** Of things that happened in the same moment: what led to what. */
const order: readonly TimelineKind[] = [
  ...(['request', 'rail', 'callback', 'state', 'transfer', 'webhook'] as const),
]

/** The story of a transaction, oldest first. Pure: the same records, the same story. */
export function timelineOf(
  row: TransactionRow,
  history: History,
  told: readonly ToldEvent[],
): TimelineEntry[] {
  const isApplied = history.callbacks.some(({ finding }) => finding === 'applied')
  const attempts = history.attempts.filter(({ action }) => action !== 'callback' || !isApplied)
  const entries = [
    requestOf(row),
    ...accountEntries(history),
    ...attempts.map((attempt): TimelineEntry => {
      const kind = attempt.action === 'callback' ? 'callback' : 'rail'
      return { at: attempt.at, kind, ...sayAttempt(attempt, row) }
    }),
    ...history.callbacks.map((callback) => callbackEntry(callback)),
    stateOf(row),
    // What goes to suspense has a story, which is told below.
    ...history.transfers
      .filter(({ debit, credit }) => debit !== 'suspense' && credit !== 'suspense')
      .map((transfer): TimelineEntry => {
        return { at: transfer.postedAt, kind: 'transfer', ...sayTransfer(transfer) }
      }),
    ...history.suspense.flatMap(suspenseEntries),
    ...reversalEntries(history),
    ...told.flatMap(webhookEntries),
  ]
  return entries.sort(
    (a, b) => a.at.getTime() - b.at.getTime() || order.indexOf(a.kind) - order.indexOf(b.kind),
  )
}

const methodWords = { momo: 'mobile money', bank: 'bank transfer', card: 'card' } as const

function requestOf(row: TransactionRow): TimelineEntry {
  const { kind, amount, currency, walletCurrency, fee, accountName, accountNumber } = row
  const money = sayMinor(amount, currency)
  const who = [accountName, accountNumber].filter((text) => text !== '').join(', ')
  const title = {
    payout: `Payout requested: ${money} to ${who} (${row.destination})`,
    charge: `Charge requested: ${money} by ${methodWords[row.method]}${who && ` from ${who}`}`,
    reversal: `${ofRail(row.rail)} gave a payout back: ${money}`,
  }[kind]
  const parts = [
    `Reference ${row.externalReference}`,
    ...(kind === 'reversal' && row.linkedId ? [`the payout is ${row.linkedId}`] : []),
    ...(fee > 0n ? [`fee ${sayMinor(fee, walletCurrency)}`] : []),
    ...(row.exchangeRate === null ? [] : [`exchange rate ${row.exchangeRate}`]),
  ]
  return {
    at: new Date(timeOf(row.id)),
    kind: 'request',
    title,
    detail: ended(parts),
    tone: 'neutral',
  }
}

const ended = (parts: readonly string[]): string => (parts.length > 0 ? `${parts.join(', ')}.` : '')

function accountEntries({ virtualAccount }: History): TimelineEntry[] {
  if (!virtualAccount) return []
  const { accountNumber, bankName, createdAt, expiresAt } = virtualAccount
  const title = `Virtual account opened: ${accountNumber} at ${bankName}`
  const detail = `The exact amount has to arrive there before ${sayMoment(expiresAt)}.`
  return [{ at: createdAt, kind: 'rail', title, detail, tone: 'waiting' }]
}

const newsWords: Record<string, string> = {
  succeeded: 'the payment is done',
  failed: 'the payment failed',
  pending: 'the payment is still in progress',
  reversed: 'the payment was given back',
}

function callbackEntry({ at, rail, outcome, said, finding }: CallbackRow): TimelineEntry {
  const title = `${ofRail(rail)} told us: ${newsWords[outcome] ?? outcome}`
  const words = said === '' || said === outcome ? '' : `It said: ${said.replace(/\.$/, '')}. `
  const [meaning, tone] = meaningOf(finding, outcome)
  return { at, kind: 'callback', title, detail: words + meaning, tone }
}

function meaningOf(finding: string | null, outcome: string): [string, Tone] {
  if (finding === null) return ['It is stored and will be acted upon in a moment.', 'waiting']
  if (finding === 'applied') {
    return ['It fits our record and was applied.', outcome === 'failed' ? 'bad' : 'good']
  }
  if (finding === 'repeated') return ['We knew it already, so nothing changed.', 'neutral']
  if (finding.startsWith('in suspense'))
    return [`The money is kept apart ${finding.slice(3)}`, 'bad']
  return [`Nothing changed; our operator has a note of it: ${finding}.`, 'bad']
}

const nameOf = { payout: 'payout', charge: 'charge', reversal: 'reversal' } as const

function stateOf(row: TransactionRow): TimelineEntry {
  const { status, failureReason, updatedAt: at } = row
  const what = `The ${nameOf[row.kind]}`
  if (status === 'successful') {
    const detail =
      row.providerReference === null ? '' : `Their reference: ${row.providerReference}.`
    return { at, kind: 'state', title: `${what} is successful`, detail, tone: 'good' }
  }
  if (status === 'failed') {
    const detail = failureReason ?? 'No reason is known.'
    return { at, kind: 'state', title: `${what} failed`, detail, tone: 'bad' }
  }
  const [title, detail] = waitingWords(row)
  return { at, kind: 'state', title, detail, tone: 'waiting' }
}

function waitingWords(row: TransactionRow): [string, string] {
  const rail = ofRail(row.rail)
  const until = row.deadlineAt ? `It fails if nothing comes by ${sayMoment(row.deadlineAt)}.` : ''
  switch (row.state) {
    case 'accepted':
      return ['Waiting to be sent', `It goes to ${rail.replace(/^The/, 'the')} next.`]
    case 'submitting':
      return ['Being sent', `${rail} has not answered yet.`]
    case 'awaiting':
      return [`Waiting for the customer: ${stepWords(row.stepRequired)}`, until]
    case 'unclear':
      return [
        `It is not clear whether ${rail.replace(/^The/, 'the')} took it`,
        'It is asked again and again until it knows. Nothing is sent twice.',
      ]
    default:
      return [`Waiting for ${rail.replace(/^The/, 'the')} to finish`, until]
  }
}

function suspenseEntries(item: SuspenseRow): TimelineEntry[] {
  const money = sayMinor(item.amount, item.currency)
  const kept: TimelineEntry = {
    ...{ at: item.at, kind: 'transfer', tone: 'bad' },
    title: `Put ${money} into suspense: it settles nothing`,
    detail: item.story,
  }
  if (item.resolvedAt === null) return [kept]
  const where = item.state === 'credited' ? 'credited to a wallet' : 'returned to its payer'
  const title = `The ${money} in suspense was ${where}`
  return [kept, { at: item.resolvedAt, kind: 'transfer', title, detail: '', tone: 'neutral' }]
}

function reversalEntries({ reversal }: History): TimelineEntry[] {
  if (!reversal) return []
  const title = 'The rail gave the money back: it is in the wallet again'
  const detail = `It has a record of its own, ${reversal.id}.`
  return [{ at: reversal.at, kind: 'state', title, detail, tone: 'bad' }]
}

function webhookEntries({ event, status, createdAt, dueAt, attempts }: ToldEvent): TimelineEntry[] {
  const name = `Webhook ${event}`
  if (attempts.length === 0) {
    const isDue = status === 'CREATED' && dueAt !== null
    const title = isDue ? `${name} is about to be sent` : `${name} is set aside`
    const detail = isDue ? '' : 'It waits for a webhook URL, or for the end of a pause.'
    return [{ at: createdAt, kind: 'webhook', title, detail, tone: isDue ? 'waiting' : 'neutral' }]
  }
  return attempts.map((attempt, index): TimelineEntry => {
    const isLast = index === attempts.length - 1
    const arrived = /^2\d\d$/.test(attempt.status)
    const facts = `(${attempt.status}, ${attempt.durationMs} ms)`
    const next = status === 'FAILED' ? ' No further attempt is made.' : ''
    const due = isLast && status === 'CREATED' && dueAt ? ` Next try: ${sayMoment(dueAt)}.` : ''
    const said = attempt.answer === '' ? '' : `The receiver answered: ${attempt.answer}`
    return {
      ...{ at: attempt.at, kind: 'webhook', tone: arrived ? 'good' : 'bad' },
      title: `${name} ${arrived ? 'delivered' : 'not delivered'} ${facts}`,
      detail: arrived ? '' : `${said}${(isLast ? next : '') + due}`.trim(),
    }
  })
}
