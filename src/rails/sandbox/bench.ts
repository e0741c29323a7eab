import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { CallbackMessage } from '../rail.ts'
import type { Book, BookEntry } from './book.ts'
import { confirm, keyOfLink, refuse } from './charges.ts'
import { arrivalMessage } from './rail.ts'

/** What a person trying out the sandbox does in place of a customer. */
export type SandboxBench = {
  /** Money comes into a virtual account. */
  transfer(given: { accountNumber: string; amount: bigint; currency: string }): Promise<void>
  /** The payment a link to a confirmation page belongs to. */
  findLink(link: string): Promise<BookEntry | undefined>
  /** The customer's decision on that page; false where it was decided before. */
  decide(entry: BookEntry, approved: boolean): Promise<boolean>
}

export type BenchParts = {
  name: string
  clock: Clock
  book: Book
  secret: Buffer
  receive(rail: string, message: CallbackMessage): Promise<void>
}

export function createSandboxBench(parts: BenchParts): SandboxBench {
  const { name, book, secret, receive } = parts
  return {
    transfer: (given) => receive(name, arrivalMessage({ id: randomUUID(), ...given }, secret)),
    async findLink(link) {
      const key = keyOfLink(secret, link)
      return key === undefined ? undefined : book.find(name, key)
    },
    async decide(entry, approved) {
      if (entry.stage !== 'redirect') return false
      const after = approved
        ? await confirm(parts, entry, null)
        : await refuse(parts, entry, 'The customer declined.')
      return approved ? after.refused === null : after.refused !== null
    },
  }
}
