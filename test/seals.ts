import { systemClock } from '../src/clock.ts'
import type { Db } from '../src/db/pool.ts'
import { books as allBooks, type Book, ledgerBook } from '../src/ledger/seals/book.ts'
import type { Head } from '../src/ledger/seals/chain.ts'
import { loadSealingKeys } from '../src/ledger/seals/keys.ts'
import { readFrontier } from '../src/ledger/seals/positions.ts'
import { createSealer, type Sealer, type SealerOptions } from '../src/ledger/seals/sealer.ts'
import { type Verification, verifyBook } from '../src/ledger/seals/verify.ts'
import type { Wallet } from '../src/ledger/wallets.ts'
import { createLogTo } from '../src/log.ts'
import { createSeal } from '../src/seal.ts'
import { type Books, openBooks } from './books.ts'
import { waitFor } from './harness.ts'

export const masterKeys = [Buffer.alloc(32, 5)]
export const masterSeal = createSeal(masterKeys)
const log = createLogTo({ write: () => {} }, 'silent')

/** Longer than any test holds a transaction open. */
const othersMs = 60_000

export function sealerOn(db: Db, options: Partial<SealerOptions> = {}): Sealer {
  const usual = { clock: systemClock, log, seal: masterSeal, masterKeys: () => masterKeys }
  return createSealer({ db, ...usual, ...options })
}

/**
 * A pass after which everything is sealed. Other tests use the same server, and while a transaction
 * of theirs is running, what came after its beginning does not count as finished.
 */
export async function sealAll(db: Db, sealer: Sealer): Promise<void> {
  for (const book of allBooks) {
    const isFinished = async (): Promise<boolean> => {
      const [row] = (await db.unsafe(
        `select coalesce(max(position), 0) as position from ${book.table}`,
      )) as { position: bigint }[]
      return (await readFrontier(db, book)).finished > row!.position
    }
    await waitFor(isFinished, { timeoutMs: othersMs })
  }
  await sealer.pass()
}

export async function verify(db: Db, book: Book = ledgerBook, kept?: Head): Promise<Verification> {
  return await verifyBook(db, book, await loadSealingKeys(db, masterSeal, masterKeys), kept)
}

/** What was found, by the number of the seal, without the time it was sealed. */
export function findings({ problems }: Verification): string[] {
  return problems.map(({ seal, what }) => `${seal ?? '-'}: ${what.replace(/ \(.*/, '')}`)
}

export type SealedBooks = Books & { wallet: Wallet; sealer: Sealer }

/** Transfers of 1, 2, 3 and so on into one wallet, each in a transaction and under a seal. */
export async function sealedBooks(
  db: Db,
  { transfers = 10, entriesPerSeal = 1 } = {},
): Promise<SealedBooks> {
  const books = await openBooks(db)
  const wallet = books.wallets[0]!
  for (let amount = 1n; amount <= transfers; amount++) await books.fund(wallet, amount)
  const sealer = sealerOn(db, { entriesPerSeal })
  await sealAll(db, sealer)
  return { ...books, wallet, sealer }
}

/** What an administrator of the database can do, whom no trigger stops. */
export async function asAdministrator(db: Db, change: string): Promise<void> {
  const tables = ['transfers', 'ledger_seals', 'audit_log', 'audit_seals']
  const each = (what: string) =>
    tables.map((table) => `alter table ${table} ${what} trigger all;`).join(' ')
  await db.unsafe(`begin; ${each('disable')} ${change}; ${each('enable')} commit`)
}
