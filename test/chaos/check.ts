import type { Books, RailRow, RecordRow } from './books.ts'
import { checkTold } from './check-told.ts'
import type { Intent } from './intents.ts'
import { invariants, type Outside } from './invariants.ts'
import { createFindings, type Findings } from './violation.ts'

export function check(outside: Outside, books: Books): Findings {
  const findings = createFindings()
  checkMemory(findings, outside, books)
  checkRail(findings, outside, books)
  checkLedger(findings, outside, books)
  checkTold(findings, outside, books)
  return findings
}

const nameOf = (accountId: string, rest: string) => `${accountId} ${rest}`

function checkMemory({ expect }: Findings, outside: Outside, { records }: Books): void {
  const byId = new Map(records.map((record) => [record.id, record]))
  const byReference = new Map(records.map((each) => [nameOf(each.accountId, each.reference), each]))
  const asked = new Set<string>()
  for (const intent of outside.intents) {
    const accountId = outside.accountIds[intent.merchant]!
    const { reference, transactionId = '', outcome } = intent
    const record = byId.get(transactionId)
    const detail = () => ({ intent, record })
    expect(invariants.answered, outcome !== 'open', reference, detail)
    if (outcome === 'refused') {
      const left = byReference.get(nameOf(accountId, reference))
      expect(invariants.refused, left === undefined, reference, () => ({ intent, left }))
    } else asked.add(nameOf(accountId, reference))
    if (outcome !== 'accepted') continue
    expect(invariants.accepted, isAsAsked(intent, accountId, record), reference, detail)
    expect(invariants.read, intent.status === record?.status, reference, detail)
  }
  for (const record of records) {
    const isAsked = asked.has(nameOf(record.accountId, record.reference))
    expect(invariants.asked, isAsked, record.id, () => record)
    const isFinal = ['successful', 'failed'].includes(record.status) && !record.isDue
    expect(invariants.final, isFinal, record.id, () => record)
  }
}

function isAsAsked(intent: Intent, accountId: string, record: RecordRow | undefined): boolean {
  return (
    record !== undefined &&
    record.accountId === accountId &&
    record.reference === intent.reference &&
    record.key === intent.key &&
    record.amount === intent.amountMinor &&
    record.currency === intent.currency &&
    record.kind === (intent.kind === 'payout' ? 'payout' : 'charge')
  )
}

const refusing: readonly string[] = ['decline', 'lack funds', 'find no account', 'stay silent']

/** Whether money moved at the rail, by its own book alone. */
function hasMoved({ isConfirmed, behaviour }: RailRow): boolean {
  return isConfirmed && !refusing.includes(behaviour)
}

function checkRail({ expect }: Findings, { intents }: Outside, books: Books): void {
  const byKey = Map.groupBy(books.rail, ({ key }) => key)
  const suspense = Map.groupBy(books.suspense, ({ transactionId }) => transactionId)
  const arrivals = Map.groupBy(books.arrivals, ({ transactionId }) => transactionId)
  const recordIds = new Set(books.records.map(({ id }) => id))
  const accountOf = new Map(intents.map((each) => [each.transactionId, each.virtualAccount]))
  for (const record of books.records) {
    const { id, status, kind, method, amount, currency } = record
    const entries = byKey.get(id) ?? []
    const aside = suspense.get(id) ?? []
    const detail = () => ({ record, entries, aside, arrivals: arrivals.get(id) })
    const isSame = entries.every((each) => each.amount === amount && each.currency === currency)
    expect(invariants.amount, isSame, id, detail)
    if (kind === 'charge' && method === 'bank') {
      const came = arrivals.get(id) ?? []
      const kept = status === 'successful' ? amount : 0n
      const isWhole = sumOf(came) === kept + sumOf(aside)
      const { tried = 0, answered = 0 } = accountOf.get(id) ?? {}
      const isTold = came.length >= answered && came.length <= tried
      expect(invariants.arrived, isWhole && isTold, id, detail)
      continue
    }
    const moved = entries.filter(hasMoved).length
    const isKept = status === 'successful' ? moved === 1 : moved === 0
    // What is collected after a charge has failed goes to suspense, all of it.
    const isAside = kind === 'charge' && status === 'failed' && moved === 1 && aside.length === 1
    const isRight = isAside ? sumOf(aside) === amount : isKept && aside.length === 0
    expect(invariants.moved, isRight, id, detail)
  }
  for (const entry of books.rail) {
    expect(invariants.known, recordIds.has(entry.key), entry.key, () => entry)
  }
}

const sumOf = (items: readonly { amount: bigint }[]) =>
  items.reduce((sum, { amount }) => sum + amount, 0n)

/** The steps a record of these clients, without fees and conversions, has when it is over. */
const stepsOf: Readonly<Record<string, readonly string[]>> = {
  'payout successful': ['accepted', 'paid'],
  'payout failed': ['accepted', 'returned'],
  'charge successful': ['collected'],
  'charge failed': [],
}

function checkLedger({ expect }: Findings, outside: Outside, books: Books): void {
  const moved = Map.groupBy(books.transfers, ({ transactionId }) => transactionId)
  for (const record of books.records) {
    const { id, kind, status, amount, currency } = record
    const transfers = moved.get(id) ?? []
    const steps = transfers.map(({ step }) => step).sort()
    const isRight =
      steps.join() === stepsOf[`${kind} ${status}`]?.join() &&
      transfers.every((each) => each.amount === amount && each.currency === currency)
    expect(invariants.transfers, isRight, id, () => ({ record, transfers }))
  }
  const reckoned = new Map(outside.funds)
  for (const { merchant, kind, status, currency, amountMinor } of outside.intents) {
    if (status !== 'successful') continue
    const wallet = nameOf(outside.accountIds[merchant]!, currency)
    const change = kind === 'payout' ? -amountMinor : amountMinor
    reckoned.set(wallet, (reckoned.get(wallet) ?? 0n) + change)
  }
  for (const { accountId, currency, available, held } of books.wallets) {
    const wallet = nameOf(accountId, currency)
    const expected = reckoned.get(wallet) ?? 0n
    const isRight = available === expected && held === 0n
    expect(invariants.wallets, isRight, wallet, () => ({ expected, available, held }))
  }
}
