import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Books, openBooks, transfer } from '../../test/books.ts'
import { testDatabase } from '../../test/harness.ts'
import type { Db } from '../db/pool.ts'
import type { LedgerAccount } from './accounts.ts'
import { checkLedger } from './check.ts'
import { fitPostings } from './fit.ts'
import { type PostingOutcome, postTransfers } from './post.ts'
import { postStraight } from './post-straight.ts'
import type { Posting } from './posting.ts'
import { rollUp } from './rollup.ts'

const walletCount = 4
const runs = 120

const moves: [LedgerAccount, LedgerAccount][] = [
  ['funding', 'wallet'],
  ['wallet', 'held'],
  ['held', 'wallet'],
  ['held', 'rail:sandbox'],
  ['held', 'fees'],
  ['rail:sandbox', 'wallet'],
  ['wallet', 'fx'],
  ['fx', 'wallet'],
]
const leg = fc.record({
  wallet: fc.nat(walletCount - 1),
  move: fc.nat(moves.length - 1),
  amount: fc.bigInt({ min: 1n, max: 400n }),
})
const batch = fc.array(fc.array(leg, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 40,
})

type Leg = { wallet: number; move: number; amount: bigint }

function postingOf({ posting, wallets }: Books, legs: readonly Leg[]): Posting {
  return posting(
    ...legs.map(({ wallet, move, amount }, index) =>
      transfer(wallets[wallet]!, ...moves[move]!, amount, `step ${index}`),
    ),
  )
}

type Way = (sql: Db, postings: readonly Posting[]) => Promise<PostingOutcome[]>

/** As payouts are accepted: straight, and where that is refused by the full statement. */
const straightFirst: Way = async (sql, postings) => {
  const before = await allRows(sql)
  const recorded = sql`select null::uuid as transaction_id where false`
  const isPosted = await postStraight(sql, postings, { recorded })
  if (isPosted) return postings.map(() => ({ kind: 'recorded' }))
  assert.deepEqual(await allRows(sql), before, 'what is refused leaves no trace')
  return await postTransfers(sql, postings)
}

const allRows = async (sql: Db) =>
  await sql`select id, available, held, seq from wallets order by id`

const ways: [string, Way][] = [
  ['by the full statement', postTransfers],
  ['straight where it goes', straightFirst],
]

for (const [way, post] of ways) randomBatches(way, post)

function randomBatches(way: string, post: Way): void {
  test(`random batches, with refusals among them, end as if posted one by one: ${way}`, async (t) => {
    const { sql } = await testDatabase(t)
    const books = await openBooks(sql, { wallets: walletCount })
    const model = new Map(books.wallets.map(({ id }) => [id, { available: 0n, held: 0n }]))
    let postings = 0
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), async (batches) => {
        for (const legs of batches) {
          const asked = legs.map((one) => postingOf(books, one))
          const expected = fitPostings(asked, model)
          const outcomes = await post(sql, asked)
          assert.deepEqual(
            outcomes.map(({ kind }) => kind === 'recorded'),
            asked.map((one) => !expected.refused.has(one)),
          )
          applyTo(model, expected.fitting)
          postings += asked.length
          refusals += expected.refused.size
        }
        if (postings % 3 === 0) await rollUp(sql, 0)
        for (const wallet of books.wallets) {
          assert.deepEqual(await books.balance(wallet), model.get(wallet.id))
        }
      }),
      { numRuns: runs, endOnFailure: true },
    )
    const { problems, transfers } = await checkLedger(sql)
    assert.deepEqual(problems, [])
    t.diagnostic(`${postings} postings, ${refusals} refused, ${transfers} transfers`)
    assert.ok(postings > 1000 && refusals > 100, `${postings} postings, ${refusals} refusals`)
  })
}

function applyTo(
  model: Map<string, { available: bigint; held: bigint }>,
  postings: readonly Posting[],
): void {
  for (const { transfers } of postings) {
    for (const { walletId, debit, credit, amount } of transfers) {
      const balance = model.get(walletId!)!
      if (credit === 'wallet') balance.available += amount
      if (debit === 'wallet') balance.available -= amount
      if (credit === 'held') balance.held += amount
      if (debit === 'held') balance.held -= amount
    }
  }
}

test('random batches posted by several nodes at once keep every promise of the ledger', async (t) => {
  const { sql } = await testDatabase(t)
  const books = await openBooks(sql, { wallets: walletCount })
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 6 }), async (batches) => {
      await Promise.all(
        batches.map((legs) =>
          postTransfers(
            sql,
            legs.map((one) => postingOf(books, one)),
          ),
        ),
      )
    }),
    { numRuns: 25, endOnFailure: true },
  )
  assert.deepEqual((await checkLedger(sql)).problems, [])
})
