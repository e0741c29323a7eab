import type { Db } from '../src/db/pool.ts'
import { createLedger } from '../src/ledger/ledger.ts'
import { postTransfers } from '../src/ledger/post.ts'
import type { Posting } from '../src/ledger/posting.ts'
import type { Wallet } from '../src/ledger/wallets.ts'
import { type Books, openBooks, transfer } from '../test/books.ts'
import { compared, type Figure, median } from './report.ts'

const clients = 64
const walletCount = 1000
const fundsMinor = 10n ** 13n

type Way = (posting: Posting) => Promise<{ kind: string }>
type Options = { rounds: number; secondsPerRound: number }

/**
 * The same postings by the same statement: all that wait in one commit, or one commit each. Those
 * of one each run beside one another on as many connections as the pool has, so PostgreSQL may
 * gather their writes to disk as well as it can.
 */
export async function groupCommitBench(db: Db, options: Options): Promise<Figure[]> {
  const books = await openBooks(db, { wallets: walletCount })
  await Promise.all(books.wallets.map((wallet) => books.fund(wallet, fundsMinor)))
  const ledger = createLedger(db)
  const together: Way = (posting) => ledger.post(posting)
  const oneEach: Way = async (posting) => (await postTransfers(db, [posting]))[0]!
  const spread = (turn: number) => books.wallets[turn % walletCount]!
  const hot = () => books.wallets[0]!
  const cases: [string, Way, (turn: number) => Wallet][] = [
    ['ledger postings, grouped, 1,000 wallets', together, spread],
    ['ledger postings, one each, 1,000 wallets', oneEach, spread],
    ['ledger postings, grouped, one wallet', together, hot],
    ['ledger postings, one each, one wallet', oneEach, hot],
  ]
  const seen = new Map<string, number[]>(cases.map(([name]) => [name, []]))
  for (let round = 0; round < options.rounds; round++) {
    for (const [name, way, pick] of cases) {
      seen.get(name)!.push(await measure(books, way, pick, options.secondsPerRound))
    }
  }
  const [groupedSpread, oneSpread, groupedHot, oneHot] = cases.map(([name]) => ({
    name,
    value: median(seen.get(name)!),
  }))
  return [
    oneSpread!,
    compared(groupedSpread!, oneSpread!, 2.5),
    oneHot!,
    compared(groupedHot!, oneHot!, 4),
  ]
}

async function measure(
  { posting }: Books,
  way: Way,
  pick: (turn: number) => Wallet,
  seconds: number,
): Promise<number> {
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  let turn = 0
  let done = 0
  const client = async () => {
    while (performance.now() < endMs) {
      const { kind } = await way(posting(transfer(pick(turn++), 'wallet', 'held', 100n)))
      if (kind !== 'recorded') throw new Error(`a posting was ${kind}`)
      done++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return done / ((performance.now() - startMs) / 1000)
}
