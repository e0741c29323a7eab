import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBooks } from '../../test/books.ts'
import { testDatabase } from '../../test/harness.ts'
import { checkLedger } from '../ledger/check.ts'
import type { NewTransaction } from '../transactions/new-transaction.ts'
import { createAcceptance } from './accept-store.ts'

test('a batch that is committed again after its answer was lost is accepted, and made once', async (t) => {
  const { sql } = await testDatabase(t)
  const books = await openBooks(sql)
  const wallet = books.wallets[0]!
  await books.fund(wallet, 1_000n)
  const payout = (externalReference: string): NewTransaction => {
    const id = books.ids.next(books.slot)
    const at = new Date()
    const common = { currency: wallet.currency, country: 'KE', destination: 'MoMo' }
    const data = { ...common, transactionId: id, externalReference, amount: 1 }
    return {
      ...{ id, slot: books.slot, accountId: wallet.accountId, environment: 'sandbox' },
      ...{ kind: 'payout', state: 'accepted', externalReference, idempotency: null, ...common },
      ...{ method: 'momo', amount: 100n, walletId: wallet.id, walletCurrency: wallet.currency },
      ...{ walletAmount: 100n, fee: 7n, exchangeRate: null, beneficiaryId: null, code: null },
      ...{ accountName: 'Amina Otieno', accountNumber: '254700000000', branchCode: null },
      ...{ businessNumber: null, rail: 'sandbox', createdAt: at, dueAt: at },
      event: {
        ...{ id: books.ids.next(books.slot), transactionId: id, event: 'transaction_created' },
        data: { ...data, status: 'pending', type: 'withdrew' },
      },
    }
  }
  const asked = [payout('a'), payout('b'), payout('c')]
  const acceptance = () => createAcceptance(sql, { maxBatch: 10, maxQueued: 100 })
  const accepted = asked.map(() => ({ kind: 'accepted' }))
  assert.deepEqual(await Promise.all(asked.map(acceptance().submit)), accepted)
  // Beside one that is new, and by a node that has not gone the careful way yet.
  const again = [...asked, payout('d')]
  const outcomes = await Promise.all(again.map(acceptance().submit))
  assert.deepEqual(outcomes, [...accepted, { kind: 'accepted' }])
  const [made] = await sql`
    select (select count(*)::int from transactions) as records,
      (select count(*)::int from webhooks) as events,
      (select count(*)::int from transfers where step like 'accepted%') as transfers`
  assert.deepEqual({ ...made }, { records: 4, events: 4, transfers: 8 })
  assert.deepEqual(await books.balance(wallet), { available: 572n, held: 428n })
  assert.deepEqual((await checkLedger(sql)).problems, [])
})
