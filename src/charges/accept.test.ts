import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { momoBody, openTill, startChargeWorld } from '../../test/charge-world.ts'

const world = await startChargeWorld({ after })
const used = [409, 'E-API-D.S-28']

async function countOf(accountId: string): Promise<number> {
  const [row] = await world.db<{ count: number }[]>`
    select count(*)::int as count from transactions where account_id = ${accountId}`
  return row!.count
}

test('of two hundred charges with one reference at once, one is accepted', async () => {
  const till = await openTill(world)
  const externalReference = 'one of two hundred'
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      if (index % 10 === 0) return till.card({ externalReference })
      if (index % 10 === 1) return till.bankTransfer({ externalReference })
      return till.momo({ externalReference })
    }),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(answers.length - refused.length, 1)
  for (const { status, body } of refused) assert.deepEqual([status, body.errorCode], used)
  assert.equal(await countOf(till.owner.accountId), 1)
})

test('a reference a payout has used is refused to a charge, and the other way', async () => {
  const till = await openTill(world)
  const payout = (externalReference: string) =>
    till.call('POST', '/fiat/payout', {
      ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference },
      payoutMethod: { accountName: 'Achieng Otieno', accountNumber: '254700000003' },
    })
  const paid = await payout('first a payout')
  assert.equal(paid.status, 200, paid.text)
  await till.accepted(till.momo({ externalReference: 'first a charge' }))
  const answers = [
    await till.momo({ externalReference: 'first a payout' }),
    await till.card({ externalReference: 'first a payout' }),
    await till.bankTransfer({ externalReference: 'first a payout' }),
    await payout('first a charge'),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errorCode]),
    Array(4).fill(used),
  )
  assert.equal(await countOf(till.owner.accountId), 2)
})

test('a repeat is told so even where it would be refused for another reason today', async () => {
  const till = await openTill(world)
  await till.accepted(till.momo({ externalReference: 'again' }))
  const answers = [
    await till.momo({ externalReference: 'again', walletCurrency: 'XYZ' }),
    await till.bankTransfer({ externalReference: 'again', currency: 'UGX' }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errorCode]),
    Array(2).fill(used),
  )
})

test('two merchants may use the same reference', async () => {
  const tills = [await openTill(world), await openTill(world)]
  for (const till of tills) await till.accepted(till.momo({ externalReference: 'both' }))
})

test('the same key and request get the first answer again, and nothing happens twice', async () => {
  const till = await openTill(world)
  const kinds = [
    { make: till.momo, body: momoBody() },
    { make: till.card, body: { externalReference: 'keyed card' } },
    { make: till.card, body: { externalReference: 'keyed steps', cardDetails: redirectCard } },
    { make: till.bankTransfer, body: { externalReference: 'keyed transfer' } },
  ]
  for (const [index, { make, body }] of kinds.entries()) {
    const key = `key ${index}`
    const first = await make(body, key)
    const answers = await Promise.all(Array.from({ length: 5 }, () => make(body, key)))
    for (const answer of answers) {
      assert.deepEqual(answer.body, first.body)
      assert.equal(answer.headers['idempotent-replayed'], 'true')
    }
    assert.equal(first.headers['idempotent-replayed'], undefined)
    const reused = await make({ ...body, amount: 77, externalReference: `other ${index}` }, key)
    assert.deepEqual([reused.status, reused.body.errorCode], [409, 'IDEMPOTENCY_KEY_REUSED'])
  }
  assert.equal(await countOf(till.owner.accountId), kinds.length)
  const rows = await world.db<{ arrivals: number }[]>`
    select arrivals from sandbox_rail_book b join transactions t on t.id::text = b.key
    where t.account_id = ${till.owner.accountId}`
  for (const { arrivals } of rows) assert.equal(arrivals, 1)
})

const redirectCard = { number: '4000002760003184', cvv: '737', expMonth: '12', expYear: '31' }

test('the same key ten times at once is one charge and one virtual account', async () => {
  const till = await openTill(world)
  const externalReference = 'ten at once'
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => till.bankTransfer({ externalReference }, 'ten')),
  )
  const [first] = answers
  for (const { status, text, body } of answers) {
    assert.equal(status, 200, text)
    assert.deepEqual(body, first!.body)
  }
  assert.equal(await countOf(till.owner.accountId), 1)
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
