import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBooks, transfer } from '../../test/books.ts'
import { testDatabase } from '../../test/harness.ts'
import { checkLedger } from './check.ts'
import { postTransfers } from './post.ts'
import { postStraight } from './post-straight.ts'

const nothing = 'select null::uuid as transaction_id where false'

test('the straight way and the full one, at once on the same wallets, keep the books right', async (t) => {
  const { sql } = await testDatabase(t)
  const books = await openBooks(sql, { wallets: 3 })
  const { wallets, posting } = books
  for (const wallet of wallets) await books.fund(wallet, 10_000n)
  let straight = 0
  const client = async (number: number) => {
    for (let times = 0; times < 15; times++) {
      // Some in the one order and some in the other: a circle of waits would end in a deadlock.
      const order = number % 2 === 0 ? wallets : wallets.toReversed()
      const asked = order.map((wallet) => posting(transfer(wallet, 'wallet', 'held', 7n)))
      if (number % 3 === 0) await postTransfers(sql, asked)
      else if (await postStraight(sql, asked, { recorded: sql.unsafe(nothing) })) straight++
      else assert.fail('all was covered')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)))
  for (const wallet of wallets) {
    assert.deepEqual(await books.balance(wallet), { available: 9_160n, held: 840n })
  }
  assert.equal(straight, 75)
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('a transfer that exists, and a wallet that is short, undo the whole batch', async (t) => {
  const { sql } = await testDatabase(t)
  const books = await openBooks(sql, { wallets: 2 })
  const { posting } = books
  const [rich, poor] = [books.wallets[0]!, books.wallets[1]!]
  await books.fund(rich, 100n)
  const recorded = sql.unsafe(nothing)
  const first = posting(transfer(rich, 'wallet', 'held', 10n))
  const covered = () => posting(transfer(rich, 'wallet', 'held', 10n))
  assert.equal(await postStraight(sql, [first], { recorded }), true)
  assert.equal(await postStraight(sql, [covered(), first], { recorded }), false)
  const short = posting(transfer(poor, 'wallet', 'held', 1n))
  assert.equal(await postStraight(sql, [covered(), short], { recorded }), false)
  // In the end it would be covered, but not at the moment it is asked for.
  const early = posting(transfer(poor, 'wallet', 'held', 5n))
  const later = posting(transfer(poor, 'funding', 'wallet', 5n))
  assert.equal(await postStraight(sql, [early, later], { recorded }), false)
  assert.deepEqual(await books.balance(rich), { available: 90n, held: 10n })
  assert.deepEqual(await books.balance(poor), { available: 0n, held: 0n })
})

test('a transfer in a currency that its wallet does not have is no refusal but a fault', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql)
  const wrong = posting(transfer({ ...wallets[0]!, currency: 'UGX' }, 'funding', 'wallet', 5n))
  const recorded = sql.unsafe(nothing)
  await assert.rejects(postStraight(sql, [wrong], { recorded }), /foreign key/)
})
