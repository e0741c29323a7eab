import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant } from '../../../test/app-harness.ts'
import { cardDetails, openTill, startChargeWorld } from '../../../test/charge-world.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { checkLedger } from '../../ledger/check.ts'

const world = await startChargeWorld({ after })

type Item = Record<string, unknown>
type Shown = { transaction: Item & { virtualAccount: Item | null }; timeline: Item[] }

async function openShop() {
  const till = await openTill(world)
  const [row] = await world.db<{ id: string }[]>`
    select merchant_id as id from accounts where id = ${till.owner.accountId}`
  const merchant = { merchant: { id: row!.id } }
  return { till, merchant, finance: await signInAs(world, merchant, 'finance') }
}

async function show(visitor: Visitor, id: string): Promise<Shown> {
  const { status, text, body } = await visitor.call('GET', `/sandbox/transactions/${id}`)
  assert.equal(status, 200, text)
  return body.data as Shown
}

test('a charge tells what the customer does and what the wallet gets', async () => {
  const { till, finance } = await openShop()
  const id = await till.accepted(till.momo({ externalReference: 'tea-1' }))
  await world.work()
  await world.pass(10_000)
  const { timeline } = await show(finance, id)
  const titles = timeline.map(({ title }) => title)
  assert.equal(titles[0], 'Charge requested: 1,500.00 KES by mobile money from 254700000000')
  assert.ok(titles.includes('The charge is successful'), JSON.stringify(titles))
  assert.ok(
    titles.includes('Credited 1,500.00 KES to the wallet, received from the sandbox rail'),
    JSON.stringify(titles),
  )
})

test('money that is too little is in suspense, with its story, until a person decides', async () => {
  const { till, merchant, finance } = await openShop()
  const id = await till.accepted(till.bankTransfer({ amount: 20_000 }))
  const { transaction } = await show(finance, id)
  const { accountNumber } = transaction.virtualAccount!
  await till.call('POST', '/utilities/simulate-bank-transfer', { accountNumber, amount: 500 })
  await world.work()
  const { timeline } = await show(finance, id)
  const kept = timeline.find(({ title }) => String(title).includes('into suspense'))
  assert.equal(kept?.title, 'Put 500.00 NGN into suspense: it settles nothing')
  assert.equal(kept?.detail, 'It is less than the charge.')
  const list = await finance.call('GET', '/sandbox/suspense')
  const [item] = list.body.data as Item[]
  assert.deepEqual([item!.amount, item!.state, item!.transactionId], ['500.00', 'open', id])
  const overview = await finance.call('GET', '/sandbox/overview')
  assert.equal((overview.body.data as { attention: Item }).attention.suspense, 1)

  const stranger = await signInAs(world, await makeMerchant(world.db), 'owner')
  const viewer = await signInAs(world, merchant, 'viewer')
  const decide = (who: Visitor, what: string) =>
    who.call('POST', `/sandbox/suspense/${item!.id}/${what}`)
  assert.equal((await decide(stranger, 'credit')).status, 404)
  assert.equal((await decide(stranger, 'return')).status, 404)
  assert.equal((await decide(viewer, 'credit')).status, 403)
  assert.deepEqual((await stranger.call('GET', '/sandbox/suspense')).body.data, [])

  const before = await till.balance('NGN', 'NG')
  const credited = await decide(finance, 'credit')
  assert.equal(credited.status, 200, credited.text)
  assert.equal((await till.balance('NGN', 'NG')) - before, 500_00n)
  assert.equal((await decide(finance, 'return')).status, 409)
  const trial = await finance.call('GET', '/sandbox/trial-balance')
  const ngn = (trial.body.data as { currency: string; account: string; balance: string }[]).filter(
    ({ currency }) => currency === 'NGN',
  )
  const sum = ngn.reduce((total, { balance }) => total + BigInt(balance.replace('.', '')), 0n)
  assert.equal(sum, 0n)
  assert.equal(ngn.find(({ account }) => account === 'suspense')?.balance, '0.00')
  assert.deepEqual((await checkLedger(world.db)).problems, [])
})

test('a card that waits for its customer says for what, and shows no card', async () => {
  const { till, finance } = await openShop()
  const id = await till.accepted(till.card({ cardDetails: cardDetails('5531886652142950') }))
  const { timeline, transaction } = await show(finance, id)
  assert.equal(transaction.state, 'awaiting')
  const state = timeline.find(({ kind }) => kind === 'state')
  assert.equal(state?.title, 'Waiting for the customer: their PIN')
  assert.equal(state?.tone, 'waiting')
  assert.ok(!JSON.stringify({ timeline, transaction }).includes('5531886652142950'))
})
