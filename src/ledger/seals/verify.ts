import type { Db, Tx } from '../../db/pool.ts'
import type { Book } from './book.ts'
import {
  contentHasher,
  type Head,
  headOf,
  headText,
  isSignedWith,
  lastSeal,
  noHash,
  type Seal,
  sealByNumber,
  sealColumns,
} from './chain.ts'
import { columnsOf, type Entry, prepareReading, readEntries } from './entries.ts'
import type { SealingKeys } from './keys.ts'
import { rewrittenRows, walletGaps } from './suspects.ts'

export type Problem = {
  /** The seal it was found at; none where it is about the book as a whole. */
  seal: bigint | undefined
  what: string
  /** Rows that are likely the ones, by their keys. */
  rows: string[]
}

export type Verification = {
  book: Book['name']
  seals: number
  /** Rows under a seal that was found whole. */
  verified: number
  /** Rows that are too young to be under a seal. */
  unsealed: number
  oldestUnsealed: Date | undefined
  head: Head | undefined
  problems: Problem[]
  /** More were found than are told. */
  isCut: boolean
}

type Run = {
  tx: Tx
  book: Book
  keys: SealingKeys
  columns: string[]
  result: Verification
}

const sealsPerPage = 200
/** A group of seals is read with one statement, which sorts so many rows at most. */
const entriesPerGroup = 200_000n
const maxProblems = 100

/**
 * Recomputes the whole chain in one snapshot: that each seal is ours and follows the one before,
 * and that the rows of its range are those that were sealed. Nothing is held but a page of seals.
 */
export function verifyBook(
  db: Db,
  book: Book,
  keys: SealingKeys,
  kept?: Head,
): Promise<Verification> {
  return db.begin('isolation level repeatable read read only', async (tx) => {
    await prepareReading(tx)
    const run = await startRun(tx, book, keys)
    let previous: Seal | undefined
    for (;;) {
      const page = await nextPage(run, previous)
      if (page.length === 0) break
      const whole: Seal[] = []
      for (const seal of page) {
        if (checkLink(run, previous, seal)) whole.push(seal)
        previous = seal
      }
      for (const group of groupsOf(whole)) await checkContents(run, group)
    }
    await checkEnds(run, previous, kept)
    return run.result
  })
}

async function startRun(tx: Tx, book: Book, keys: SealingKeys): Promise<Run> {
  const last = await lastSeal(tx, book)
  const result: Verification = {
    book: book.name,
    ...{ seals: 0, verified: 0, unsealed: 0, oldestUnsealed: undefined, problems: [] },
    head: last && headOf(last),
    isCut: false,
  }
  return { tx, book, keys, columns: await columnsOf(tx, book), result }
}

function tell({ result }: Run, seal: bigint | undefined, what: string, rows: string[] = []): void {
  if (result.problems.length < maxProblems) result.problems.push({ seal, what, rows })
  else result.isCut = true
}

function nextPage({ tx, book }: Run, previous: Seal | undefined): Promise<Seal[]> {
  return tx<Seal[]>`
    select ${sealColumns(tx)} from ${tx.unsafe(book.seals)}
    where number > ${previous?.number ?? -1n} order by number limit ${sealsPerPage}`
}

/** Whether the seal is one of ours, so that it can be believed what it says about its rows. */
function checkLink(run: Run, previous: Seal | undefined, seal: Seal): boolean {
  run.result.seals++
  const expected = (previous?.number ?? 0n) + 1n
  const key = run.keys.byId(seal.keyId)
  if (seal.number > expected) {
    const last = seal.number - 1n
    const which = last === expected ? `seal ${expected} is` : `seals ${expected} to ${last} are`
    tell(run, expected, `${which} missing`)
  }
  if (key === undefined) {
    tell(run, seal.number, `is signed with the key ${seal.keyId}, which is not here`)
    return false
  }
  if (!isSignedWith(run.book, key, seal)) {
    tell(run, seal.number, 'was changed, or made by somebody else: its signature is wrong')
    return false
  }
  if (seal.number !== expected) return true
  const before = previous ?? { hash: noHash, toPosition: 0n }
  const follows = seal.previousHash.equals(before.hash) && seal.fromPosition === before.toPosition
  if (!follows) tell(run, seal.number, 'does not follow the seal before it')
  return true
}

/** Seals that can be read together: same columns, no gap between them, not too many rows. */
function* groupsOf(seals: readonly Seal[]): Generator<Seal[]> {
  let group: Seal[] = []
  let entries = 0n
  for (const seal of seals) {
    const last = group.at(-1)
    const fits =
      last !== undefined &&
      last.toPosition === seal.fromPosition &&
      last.columns.join() === seal.columns.join() &&
      entries + seal.entries <= entriesPerGroup
    if (last !== undefined && !fits) {
      yield group
      group = []
      entries = 0n
    }
    group.push(seal)
    entries += seal.entries
  }
  if (group.length > 0) yield group
}

async function checkContents(run: Run, group: readonly Seal[]): Promise<void> {
  const { columns, fromPosition: from } = group[0]!
  const gone = columns.filter((column) => !run.columns.includes(column))
  if (gone.length > 0) {
    tell(run, group[0]!.number, `covers columns that are gone: ${gone.join(', ')}`)
    return
  }
  const range = { from, to: group.at(-1)!.toPosition }
  const broken: [Seal, bigint][] = []
  const rows = readEntries(run.tx, run.book, columns, range)
  let row: Entry | undefined = (await rows.next()).value ?? undefined
  for (const seal of group) {
    const hasher = contentHasher()
    while (row !== undefined && row.position < seal.toPosition) {
      hasher.add(row.text)
      row = (await rows.next()).value ?? undefined
    }
    const found = hasher.entries()
    if (found === seal.entries && hasher.digest().equals(seal.contentHash)) {
      run.result.verified += Number(found)
    } else broken.push([seal, found])
  }
  for (const [seal, found] of broken) {
    // What was taken away cannot be named by what is left.
    const isNameable = found >= seal.entries && !run.result.isCut
    const rows = isNameable ? await rewrittenRows(run.tx, run.book, seal) : []
    tell(run, seal.number, brokenText(run.book, seal, found), rows)
  }
}

function brokenText({ nouns }: Book, seal: Seal, found: bigint): string {
  const when = `(sealed ${seal.sealedAt.toISOString()})`
  const difference = found - seal.entries
  if (difference === 0n) {
    return `covers ${seal.entries} ${nouns}, of which at least one was changed ${when}`
  }
  const what = difference < 0n ? `${-difference} were removed` : `${difference} were added`
  return `covers ${seal.entries} ${nouns}, and ${found} are there: ${what} ${when}`
}

/** What is before the first seal, what is after the last, and the head that somebody kept. */
async function checkEnds(run: Run, last: Seal | undefined, kept: Head | undefined): Promise<void> {
  const { tx, book, result } = run
  const isBroken = result.problems.length > 0
  const [row] = (await tx.unsafe(`
    select count(*) filter (where position < 0)::float8 as strays,
      count(*) filter (where position >= 0)::float8 as unsealed,
      min(${book.time}) filter (where position >= 0) as oldest
    from ${book.table}
    where position < 0 or position >= ${last?.toPosition ?? 0n}`)) as {
    strays: number
    unsealed: number
    oldest: Date | null
  }[]
  result.unsealed = row!.unsealed
  result.oldestUnsealed = row!.oldest ?? undefined
  if (row!.strays > 0) tell(run, undefined, `rows stand before the first seal: ${row!.strays}`)
  const gaps = isBroken && book.table === 'transfers' ? await walletGaps(tx) : []
  if (gaps.length > 0) tell(run, undefined, 'transfers are missing from their wallets', gaps)
  if (kept === undefined) return
  const seal = await sealByNumber(tx, book, kept.number)
  if (seal === undefined) {
    tell(run, kept.number, `was kept as ${headText(kept)}, and is not here any more`)
  } else if (seal.hash.toString('hex') !== kept.hash) {
    tell(run, kept.number, `was kept as ${headText(kept)}, and is another now`)
  }
}
