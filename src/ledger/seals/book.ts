/** A table that is only ever added to, and the table of the seals over it. */
export type Book = {
  name: 'ledger' | 'audit log'
  table: string
  seals: string
  /** Tells rows of one position apart, and puts them in order. */
  key: readonly string[]
  /** When a row was written, for people. */
  time: string
  noun: string
  nouns: string
  /** An index over ranges of pages, which has to be told of new pages. */
  brinIndex?: string
}

export const ledgerBook: Book = {
  name: 'ledger',
  table: 'transfers',
  seals: 'ledger_seals',
  key: ['slot', 'transaction_id', 'step'],
  time: 'posted_at',
  noun: 'transfer',
  nouns: 'transfers',
  brinIndex: 'transfers_by_position',
}

export const auditBook: Book = {
  name: 'audit log',
  table: 'audit_log',
  seals: 'audit_seals',
  key: ['id'],
  time: 'at',
  noun: 'audit entry',
  nouns: 'audit entries',
}

export const books: readonly Book[] = [ledgerBook, auditBook]
