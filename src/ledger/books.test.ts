import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBooks, transfer } from '../../test/books.ts'
import { testDatabase } from '../../test/harness.ts'
import { checkLedger } from './check.ts'
import { postTransfers } from './post.ts'
import { rolledUntil, rollUp, systemBalances } from './rollup.ts'
import { systemStatement, walletStatement } from './statement.ts'

test('system balances are the same before, between and after roll-ups', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql)
  const [wallet] = wallets
  for (let round = 1n; round <= 3n; round++) {
    await postTransfers(sql, [
      posting(transfer(wallet!, 'funding', 'wallet', 100n)),
      posting(transfer(wallet!, 'wallet', 'fees', 1n)),
    ])
    const expected = [
      { environment: 'sandbox', account: 'fees', currency: 'KES', debits: 0n, credits: round },
      {
        environment: 'sandbox',
        account: 'funding',
        currency: 'KES',
        debits: 100n * round,
        credits: 0n,
      },
    ]
    assert.deepEqual(await systemBalances(sql), expected)
    await rollUp(sql, 0)
    assert.deepEqual(await systemBalances(sql), expected)
    assert.deepEqual((await checkLedger(sql)).problems, [])
  }
})

test('a roll-up leaves alone what a running transaction may still commit', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund } = await openBooks(sql, { wallets: 2 })
  const [slow, quick] = wallets
  await sql.begin(async (tx) => {
    await postTransfers(tx, [posting(transfer(slow!, 'funding', 'wallet', 7n))])
    await fund(quick!, 5n)
    await rollUp(sql, 0)
  })
  await rollUp(sql, 0)
  const [funding] = await systemBalances(sql)
  assert.equal(funding?.debits, 12n)
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('two roll-ups at once count nothing twice', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, fund } = await openBooks(sql)
  for (let i = 0; i < 20; i++) await fund(wallets[0]!, 1n)
  await Promise.all(Array.from({ length: 5 }, () => rollUp(sql, 0)))
  assert.notEqual(await rolledUntil(sql), '-infinity')
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('a statement lists every transfer of an account with the balance after it', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund } = await openBooks(sql)
  const [wallet] = wallets
  await fund(wallet!, 1000n)
  await postTransfers(sql, [posting(transfer(wallet!, 'wallet', 'held', 300n, 'accepted'))])
  await postTransfers(sql, [posting(transfer(wallet!, 'held', 'rail:sandbox', 300n, 'paid'))])
  const lines = async (account: 'wallet' | 'held') =>
    (await Array.fromAsync(walletStatement(sql, wallet!, account))).map(
      ({ counterpart, change, balance }) => [counterpart, change, balance],
    )
  assert.deepEqual(await lines('wallet'), [
    ['funding', 1000n, 1000n],
    ['held', -300n, 700n],
  ])
  assert.deepEqual(await lines('held'), [
    ['wallet', 300n, 300n],
    ['rail:sandbox', -300n, 0n],
  ])
  const scope = { environment: 'sandbox', currency: 'KES' } as const
  const rail = await Array.fromAsync(systemStatement(sql, 'rail:sandbox', scope))
  assert.deepEqual(
    rail.map(({ counterpart, change, balance }) => [counterpart, change, balance]),
    [['held', 300n, 300n]],
  )
})

test('a statement of thousands of lines comes whole and in order', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql)
  const [wallet] = wallets
  const count = 2500
  const postings = Array.from({ length: count }, () =>
    posting(transfer(wallet!, 'funding', 'wallet', 1n)),
  )
  await postTransfers(sql, postings)
  const lines = await Array.fromAsync(walletStatement(sql, wallet!, 'wallet'))
  assert.deepEqual(
    lines.map(({ balance }) => balance),
    Array.from({ length: count }, (_, index) => BigInt(index + 1)),
  )
  const scope = { environment: 'sandbox', currency: 'KES' } as const
  const house = await Array.fromAsync(systemStatement(sql, 'funding', scope))
  assert.equal(house.length, count)
  assert.equal(house.at(-1)?.balance, -BigInt(count))
})

test('the check finds a balance, a transfer, a chain or a roll-up that was tampered with', async (t) => {
  const tamper: [string, RegExp][] = [
    ['update wallets set available = available + 1', /says available/],
    ['update wallets set available = available - 1, held = held + 1', /says available/],
    ['update transfers set amount = amount + 1 where wallet_seq = 2', /chain|says/],
    ['delete from transfers where wallet_seq = 2', /chain|says/],
    ['update transfers set available_after = available_after + 1 where wallet_seq = 2', /chain/],
    ["update transfers set debit = 'pocket' where wallet_seq = 1", /outside the chart/],
    ['update ledger_rollups set debits = debits + 1', /roll-up|sum to/],
  ]
  for (const [change, problem] of tamper) {
    const { sql, drop } = await testDatabase()
    const { wallets, fund } = await openBooks(sql)
    for (let i = 0; i < 3; i++) await fund(wallets[0]!, 10n)
    await rollUp(sql, 0)
    assert.deepEqual((await checkLedger(sql)).problems, [])
    await sql`alter table transfers disable trigger user`
    await sql.unsafe(change)
    const { problems } = await checkLedger(sql)
    assert.ok(
      problems.some((text) => problem.test(text)),
      `${change}: ${problems}`,
    )
    await drop()
  }
  t.diagnostic(`${tamper.length} kinds of tampering found`)
})
