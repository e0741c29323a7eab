import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBooks, transfer } from '../../test/books.ts'
import { testDatabase } from '../../test/harness.ts'
import { checkLedger } from './check.ts'
import { createLedger } from './ledger.ts'
import { postTransfers } from './post.ts'

test('a posting moves the balances and writes what they are after it', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund, balance } = await openBooks(sql)
  const [wallet] = wallets
  await fund(wallet!, 1000n)
  const hold = posting(
    transfer(wallet!, 'wallet', 'held', 300n, 'amount'),
    transfer(wallet!, 'wallet', 'held', 5n, 'fee'),
  )
  assert.deepEqual(await postTransfers(sql, [hold]), [{ kind: 'recorded' }])
  assert.deepEqual(await balance(wallet!), { available: 695n, held: 305n })
  const rows = await sql`
    select step, amount, available_after, held_after, wallet_seq from transfers
    where transaction_id = ${hold.transactionId} order by wallet_seq`
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['amount', 300n, 700n, 300n, 2n],
      ['fee', 5n, 695n, 305n, 3n],
    ],
  )
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('a repeat of the same posting moves nothing', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, balance } = await openBooks(sql)
  const [wallet] = wallets
  const funding = posting(transfer(wallet!, 'funding', 'wallet', 10n))
  const ledger = createLedger(sql)
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => ledger.post(funding)))
  assert.equal(outcomes.filter(({ kind }) => kind === 'recorded').length, 1)
  assert.equal(outcomes.filter(({ kind }) => kind === 'known').length, 49)
  assert.deepEqual(await balance(wallet!), { available: 10n, held: 0n })
})

test('another posting under the same transaction and step is a fault and moves nothing', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, balance } = await openBooks(sql)
  const [wallet] = wallets
  const funding = posting(transfer(wallet!, 'funding', 'wallet', 10n))
  await postTransfers(sql, [funding])
  const other = { ...funding, transfers: [transfer(wallet!, 'funding', 'wallet', 11n)] }
  await assert.rejects(postTransfers(sql, [other]), { code: '23505' })
  assert.deepEqual(await balance(wallet!), { available: 10n, held: 0n })
})

test('of many payments at once a wallet takes exactly those it covers', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund, balance } = await openBooks(sql, { wallets: 2 })
  const [short, rich] = wallets
  await fund(short!, 300n)
  await fund(rich!, 1_000_000n)
  const ledger = createLedger(sql)
  const spend = (wallet: typeof short) =>
    ledger.post(posting(transfer(wallet!, 'wallet', 'held', 1n)))
  const outcomes = await Promise.all(
    Array.from({ length: 2000 }, (_, index) => spend(index % 2 === 0 ? short : rich)),
  )
  const accepted = (remainder: number) =>
    outcomes.filter(({ kind }, index) => index % 2 === remainder && kind === 'recorded').length
  assert.equal(accepted(0), 300)
  assert.equal(accepted(1), 1000)
  assert.deepEqual(await balance(short!), { available: 0n, held: 300n })
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('the payments a wallet takes are those that came first', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund } = await openBooks(sql)
  const [wallet] = wallets
  await fund(wallet!, 10n)
  const ledger = createLedger(sql)
  const amounts = [4n, 8n, 5n, 2n, 1n, 1n]
  const outcomes = await Promise.all(
    amounts.map((amount) => ledger.post(posting(transfer(wallet!, 'wallet', 'held', amount)))),
  )
  const kinds = outcomes.map(({ kind }) => kind === 'recorded')
  assert.deepEqual(kinds, [true, false, true, false, true, false])
})

test('several nodes on one wallet never spend more than it holds', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund, balance } = await openBooks(sql, { wallets: 3 })
  for (const wallet of wallets) await fund(wallet, 100n)
  const nodes = Array.from({ length: 4 }, () => createLedger(sql, { maxBatch: 16 }))
  const outcomes = await Promise.all(
    Array.from({ length: 1200 }, (_, index) =>
      nodes[index % 4]!.post(posting(transfer(wallets[index % 3]!, 'wallet', 'held', 1n))),
    ),
  )
  assert.equal(outcomes.filter(({ kind }) => kind === 'recorded').length, 300)
  for (const wallet of wallets) {
    assert.deepEqual(await balance(wallet), { available: 0n, held: 100n })
  }
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('one bad posting in a batch does not fail its neighbours', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, balance, ids, slot } = await openBooks(sql)
  const [wallet] = wallets
  const ledger = createLedger(sql)
  const good = () => ledger.post(posting(transfer(wallet!, 'funding', 'wallet', 1n)))
  const stranger = { id: ids.next(slot), currency: 'KES' }
  const bad = () => ledger.post(posting(transfer(stranger, 'funding', 'wallet', 1n)))
  const results = await Promise.allSettled([good(), good(), bad(), good()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await balance(wallet!), { available: 3n, held: 0n })
})

test('the database itself refuses what the code above must never do', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund } = await openBooks(sql)
  const [wallet] = wallets
  await fund(wallet!, 100n)
  const refuses = (query: Promise<unknown>, code: string) => assert.rejects(query, { code })
  await refuses(sql`update wallets set available = -1`, '23514')
  await refuses(sql`update wallets set held = -1`, '23514')
  await refuses(sql`update transfers set amount = 1`, '23001')
  await refuses(sql`delete from transfers`, '23001')
  await refuses(sql`truncate transfers`, '23001')
  const insert = (row: object) => sql`insert into transfers ${sql({ ...sample(), ...row })}`
  const sample = () => ({
    slot: wallet!.slot,
    transaction_id: posting(transfer(wallet!, 'funding', 'wallet', 1n)).transactionId,
    step: 's',
    environment: 'sandbox',
    debit: 'funding',
    credit: 'wallet',
    amount: 1n,
    currency: 'KES',
    wallet_id: wallet!.id,
    wallet_seq: 99n,
    available_after: 101n,
    held_after: 0n,
  })
  await refuses(insert({ amount: 0n }), '23514')
  await refuses(insert({ amount: -5n }), '23514')
  await refuses(insert({ credit: 'funding' }), '23514')
  await refuses(insert({ wallet_id: null }), '23514')
  await refuses(insert({ available_after: -1n }), '23514')
  await refuses(insert({ wallet_seq: 1n }), '23505')
  await refuses(insert({ currency: 'UGX' }), '23503')
  await refuses(insert({ environment: 'live' }), '23503')
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('postings that break the rules of a ledger are refused before they reach the database', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql)
  const [wallet] = wallets
  const good = transfer(wallet!, 'funding', 'wallet', 1n)
  const { walletId: _, ...withoutWallet } = good
  const bad = [
    posting(),
    posting(good, good),
    posting({ ...good, amount: 0n }),
    posting({ ...good, credit: 'funding' }),
    posting({ ...good, credit: 'pocket' as never }),
    posting(withoutWallet),
    posting({ ...good, debit: 'fx', credit: 'rail:sandbox' }),
  ]
  for (const one of bad) await assert.rejects(postTransfers(sql, [one]))
  assert.equal((await checkLedger(sql)).transfers, 0)
})
