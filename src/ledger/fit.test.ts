import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitPostings } from './fit.ts'
import type { Posting } from './posting.ts'

const spend = (id: string, amount: bigint, walletId = 'w'): Posting => ({
  slot: 0,
  transactionId: id,
  environment: 'sandbox',
  transfers: [{ step: 's', debit: 'wallet', credit: 'held', amount, currency: 'KES', walletId }],
})
const balance = (available: bigint, held = 0n) => new Map([['w', { available, held }]])
const ids = (postings: Iterable<Posting>) => [...postings].map(({ transactionId }) => transactionId)

test('postings are decided in their order, and a refused one takes nothing from those behind', () => {
  const postings = [spend('a', 60n), spend('b', 50n), spend('c', 40n), spend('d', 1n)]
  const { fitting, refused } = fitPostings(postings, balance(100n))
  assert.deepEqual(ids(fitting), ['a', 'c'])
  assert.deepEqual(ids(refused.keys()), ['b', 'd'])
  assert.deepEqual([...refused.values()], ['w', 'w'])
})

test('exactly the balance fits', () => {
  assert.deepEqual(ids(fitPostings([spend('a', 100n)], balance(100n)).fitting), ['a'])
  assert.deepEqual(ids(fitPostings([spend('a', 101n)], balance(100n)).fitting), [])
})

test('a posting with several transfers fits whole or not at all', () => {
  const both: Posting = {
    ...spend('both', 80n),
    transfers: [...spend('x', 80n).transfers, { ...spend('y', 30n).transfers[0]!, step: 'fee' }],
  }
  const { fitting, refused } = fitPostings([both, spend('c', 100n)], balance(100n))
  assert.deepEqual(ids(fitting), ['c'])
  assert.deepEqual(ids(refused.keys()), ['both'])
})

test('what comes in before can be spent after', () => {
  const incoming: Posting = {
    ...spend('in', 50n),
    transfers: [{ ...spend('in', 50n).transfers[0]!, debit: 'funding', credit: 'wallet' }],
  }
  assert.deepEqual(ids(fitPostings([incoming, spend('out', 50n)], balance(0n)).fitting), [
    'in',
    'out',
  ])
})

test('held money that is not there cannot be returned', () => {
  const back: Posting = {
    ...spend('back', 10n),
    transfers: [{ ...spend('back', 10n).transfers[0]!, debit: 'held', credit: 'wallet' }],
  }
  assert.deepEqual(ids(fitPostings([back], balance(100n, 9n)).fitting), [])
  assert.deepEqual(ids(fitPostings([back], balance(100n, 10n)).fitting), ['back'])
})
