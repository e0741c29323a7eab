import type { Clock } from '../../clock.ts'
import type { CallbackMessage } from '../rail.ts'
import type { Book } from './book.ts'
import { callbackFor, type Faults } from './rail.ts'

export type CallbackSender = {
  name: string
  clock: Clock
  book: Book
  secret: Buffer
  faults?: Faults
  receive(rail: string, message: CallbackMessage): Promise<void>
}

const maxAtOnce = 256

/** Sends the callbacks that are due, as a real rail would, and says how many there were. */
export async function sendDueCallbacks(sender: CallbackSender): Promise<number> {
  const { name, clock, book, secret, faults, receive } = sender
  const entries = await book.dueCallbacks(name, clock.now(), maxAtOnce)
  await Promise.all(
    entries.map((entry) => receive(name, callbackFor(entry, clock.now(), secret, faults))),
  )
  return entries.length
}
