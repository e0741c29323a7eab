import type { Clock } from '../../clock.ts'
import type { Db, Sql, Tx } from '../../db/pool.ts'
import type { Log } from '../../log.ts'
import { Gauge, type Metrics } from '../../metrics.ts'
import { type Seal as MasterSeal, masterKeyId } from '../../seal.ts'
import { type Book, books } from './book.ts'
import {
  contentHasher,
  type Head,
  headOf,
  headText,
  insertSeal,
  lastSeal,
  noHash,
  type Seal,
  type SealContent,
  sealByNumber,
  signSeal,
} from './chain.ts'
import { columnsOf, prepareReading, readEntries } from './entries.ts'
import { keepSealingKey, loadSealingKeys, type SealingKeys } from './keys.ts'
import { keepPositionsGrowing, readFrontier } from './positions.ts'

export type SealerOptions = {
  db: Db
  clock: Clock
  log: Log
  seal: MasterSeal
  /** Asked each time: the file of keys changes while the service runs. */
  masterKeys: () => readonly Buffer[]
  /** A seal is closed at the end of the transaction in which it comes to so many entries. */
  entriesPerSeal?: number
  metrics?: Metrics
}

export type Sealer = {
  /** Seals what is finished and not sealed yet, of both books. Any number may do so at once. */
  pass(): Promise<void>
}

const defaultEntriesPerSeal = 5000
/** Positions that one commit of the sealer looks at: many seals, if they are dense. */
const positionsPerCommit = 2000n
const commitsPerPass = 50
const entriesPerSummary = 20_000
const summaryLockMs = 50
const logHeadEveryMs = 60_000

type Follower = {
  book: Book
  /** The last seal this process has seen: it must never go away again. */
  head: Head | undefined
  entriesSinceSummary: number
  loggedMs: number
}

/** Seals in the background, so that what moves money waits for nothing and nobody. */
export function createSealer(options: SealerOptions): Sealer {
  const followers = books.map(
    (book): Follower => ({ book, head: undefined, entriesSinceSummary: 0, loggedMs: 0 }),
  )
  const caughtUp = options.metrics && caughtUpGauge(options.metrics)
  let keys: SealingKeys | undefined

  async function currentKeys(): Promise<SealingKeys> {
    const masterKeys = options.masterKeys()
    if (keys?.current.id !== masterKeyId(masterKeys[0]!).toString('hex')) {
      keys = await loadSealingKeys(options.db, options.seal, masterKeys)
      await keepSealingKey(options.db, options.seal, keys)
    }
    return keys
  }

  async function pass(): Promise<void> {
    for (const follower of followers) {
      const { name } = follower.book
      await movePositions(options, follower.book)
      if (await catchUp(options, await currentKeys(), follower)) {
        caughtUp?.set({ book: name }, options.clock.now() / 1000)
      }
      logHead(options, follower)
    }
  }

  return { pass }
}

function caughtUpGauge(metrics: Metrics): Gauge {
  return new Gauge({
    name: 'malipo_sealed_until_seconds',
    help: 'When everything finished by then was last found sealed, in seconds since 1970',
    labelNames: ['book'],
    registers: [metrics],
  })
}

async function movePositions({ db, log }: SealerOptions, book: Book): Promise<void> {
  const offset = await keepPositionsGrowing(db, book)
  if (offset === undefined) return
  log.warn(
    { book: book.name, offset: String(offset) },
    'positions go on above those of the server this database came from',
  )
}

/** Answers whether all that is finished is sealed. */
async function catchUp(
  options: SealerOptions,
  keys: SealingKeys,
  follower: Follower,
): Promise<boolean> {
  for (let commit = 0; commit < commitsPerPass; commit++) {
    const outcome = await options.db.begin((tx) => sealSome(tx, options, keys, follower))
    if (outcome.kind === 'busy') return false
    follower.head = outcome.head
    follower.entriesSinceSummary += outcome.entries
    await summarise(options.db, follower)
    if (outcome.isAll) return true
  }
  return false
}

type Outcome =
  | { kind: 'busy' }
  | { kind: 'sealed'; head: Head | undefined; entries: number; isAll: boolean }

async function sealSome(
  tx: Tx,
  { clock, entriesPerSeal = defaultEntriesPerSeal }: SealerOptions,
  keys: SealingKeys,
  { book, head }: Follower,
): Promise<Outcome> {
  const [lock] = await tx<{ held: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('malipo seals'), hashtext(${book.name})) as held`
  if (!lock?.held) return { kind: 'busy' }
  await prepareReading(tx)
  await assertStillThere(tx, book, head)
  const last = await lastSeal(tx, book)
  const { finished } = await readFrontier(tx, book)
  const from = last?.toPosition ?? 0n
  const first = await firstPosition(tx, book, from, finished)
  if (first === undefined) {
    return { kind: 'sealed', head: last && headOf(last), entries: 0, isAll: true }
  }
  const columns = await columnsOf(tx, book)
  const to = finished < first + positionsPerCommit ? finished : first + positionsPerCommit
  const chain = { book, key: keys.current, columns, sealedAt: new Date(clock.now()) }
  let previous = last
  let entries = 0
  for await (const piece of pieces(tx, book, columns, { from, to }, entriesPerSeal)) {
    previous = nextSeal(chain, previous, piece)
    await insertSeal(tx, book, previous)
    entries += Number(piece.entries)
  }
  return { kind: 'sealed', head: previous && headOf(previous), entries, isAll: to === finished }
}

/** A seal that was there a moment ago and is not any more was taken away by somebody. */
async function assertStillThere(sql: Sql, book: Book, head: Head | undefined): Promise<void> {
  if (head === undefined) return
  const seal = await sealByNumber(sql, book, head.number)
  if (seal?.hash.toString('hex') === head.hash) return
  throw new Error(
    `the seals of the ${book.name} were tampered with: ${headText(head)} is gone or changed`,
  )
}

async function firstPosition(
  sql: Sql,
  book: Book,
  from: bigint,
  to: bigint,
): Promise<bigint | undefined> {
  // As text, so that the planner sees how little of the table the range is.
  const [row] = (await sql.unsafe(`
    select min(position) as position from ${book.table}
    where position >= ${from} and position < ${to}`)) as { position: bigint | null }[]
  return row?.position ?? undefined
}

type Piece = { toPosition: bigint; entries: bigint; contentHash: Buffer }

/** What goes under one seal each. A transaction is never cut. */
async function* pieces(
  tx: Tx,
  book: Book,
  columns: readonly string[],
  range: { from: bigint; to: bigint },
  entriesPerSeal: number,
): AsyncGenerator<Piece> {
  let hasher = contentHasher()
  let position: bigint | undefined
  const piece = (toPosition: bigint): Piece => ({
    ...{ toPosition, entries: hasher.entries(), contentHash: hasher.digest() },
  })
  for await (const entry of readEntries(tx, book, columns, range)) {
    if (entry.position !== position && hasher.entries() >= entriesPerSeal) {
      yield piece(entry.position)
      hasher = contentHasher()
    }
    position = entry.position
    hasher.add(entry.text)
  }
  if (hasher.entries() > 0n) yield piece(range.to)
}

function nextSeal(
  chain: { book: Book; key: SealingKeys['current']; columns: string[]; sealedAt: Date },
  previous: Seal | undefined,
  piece: Piece,
): Seal {
  const content: SealContent = {
    number: (previous?.number ?? 0n) + 1n,
    fromPosition: previous?.toPosition ?? 0n,
    ...piece,
    columns: chain.columns,
    previousHash: previous?.hash ?? noHash,
    keyId: chain.key.id,
    sealedAt: chain.sealedAt,
  }
  return { ...content, hash: signSeal(chain.book, chain.key.key, content) }
}

/**
 * Pages the index has not been told of are read whole by everybody who looks for a position. The
 * lock is waited for less long than a vacuum would be cancelled for, and a vacuum does it as well.
 */
async function summarise(db: Db, follower: Follower): Promise<void> {
  const { brinIndex } = follower.book
  if (brinIndex === undefined || follower.entriesSinceSummary < entriesPerSummary) return
  follower.entriesSinceSummary = 0
  await db
    .begin(async (tx) => {
      await tx.unsafe(`set local lock_timeout = ${summaryLockMs}`)
      await tx`select brin_summarize_new_values(${brinIndex}::regclass)`
    })
    .catch((error: unknown) => {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error
    })
}

const lockNotAvailable = '55P03'

/** In the log a copy of the head leaves the database, out of reach of whoever rules there. */
function logHead({ clock, log }: SealerOptions, follower: Follower): void {
  const { book, head, loggedMs } = follower
  if (head === undefined || clock.now() - loggedMs < logHeadEveryMs) return
  follower.loggedMs = clock.now()
  log.info({ book: book.name, head: headText(head) }, 'sealed')
}
