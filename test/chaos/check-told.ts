import type { Books, EventRow, RecordRow } from './books.ts'
import { invariants, type Outside } from './invariants.ts'
import type { Message } from './receiver.ts'
import type { Findings } from './violation.ts'

/** What receivers were told, against the records and the events. */
export function checkTold(findings: Findings, outside: Outside, books: Books): void {
  const events = Map.groupBy(books.events, ({ transactionId }) => transactionId)
  const received = Map.groupBy(outside.messages, ({ transactionId }) => transactionId)
  for (const record of books.records) {
    const own = (events.get(record.id) ?? []).sort((one, other) => one.sequence - other.sequence)
    const messages = received.get(record.id) ?? []
    checkEvents(findings, record, own)
    for (const event of own) checkEvent(findings, event, messages)
    checkOrder(findings, record, messages)
  }
  checkMessages(findings, outside, books)
}

function checkEvents({ expect }: Findings, record: RecordRow, events: EventRow[]): void {
  const isWhole =
    events.length === record.sequence &&
    events.every(({ sequence }, index) => sequence === index + 1) &&
    events.at(-1)?.status === record.status
  expect(invariants.events, isWhole, record.id, () => ({ record, events }))
}

function checkEvent({ expect }: Findings, event: EventRow, messages: readonly Message[]): void {
  const taken = messages.filter(({ id, isTaken }) => id === event.id && isTaken)
  const isTold = taken.length > 0 && event.delivery === 'SUCCESS'
  expect(invariants.told, isTold, event.id, () => ({ event, messages }))
}

/** Repeats may come at any time; what is new is taken in its order, without a gap. */
function checkOrder({ expect }: Findings, record: RecordRow, messages: readonly Message[]): void {
  let last = 0
  for (const { sequence, isTaken } of messages) {
    if (!isTaken || sequence <= last) continue
    const isNext = sequence === last + 1
    last = sequence
    expect(invariants.order, isNext, record.id, () => messages)
  }
}

function checkMessages({ expect }: Findings, outside: Outside, { records, events }: Books): void {
  const accounts = new Map(records.map(({ id, accountId }) => [id, accountId]))
  const byId = new Map(events.map((event) => [event.id, event]))
  const firsts = new Map<string, Message>()
  for (const message of outside.messages) {
    const { id, transactionId, sequence, merchant } = message
    const event = byId.get(id)
    const isRight =
      event?.transactionId === transactionId &&
      event.sequence === sequence &&
      event.status === message.status &&
      accounts.get(transactionId) === outside.accountIds[merchant]
    expect(invariants.addressed, isRight, id, () => ({ message, event }))
    const place = `${transactionId} ${sequence}`
    const first = firsts.get(place)
    if (first === undefined) {
      firsts.set(place, message)
      continue
    }
    const isSame = first.id === id && first.digest === message.digest
    expect(invariants.same, isSame, id, () => ({ first, message }))
  }
}
