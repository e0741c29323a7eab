import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { openTill, startChargeWorld, storyOf } from '../../test/charge-world.ts'
import { waitFor } from '../../test/harness.ts'
import { announceChange } from '../db/changes.ts'

const world = await startChargeWorld({ after })
const { db, rates } = world

/** Sets the rate of USD in KES, and waits until it is the one that counts. */
async function setRate(buy: string, sell: string): Promise<void> {
  world.clock.advance(1000)
  const at = new Date(world.clock.now())
  await db`
    insert into rates (base, quote, buy, sell, source, at)
    values ('USD', 'KES', ${buy}, ${sell}, 'operator', ${at})`
  await announceChange(db, 'rates')
  await waitFor(() => rateNow() === buy)
}

/** What a dollar brings; nothing where there is no rate. */
function rateNow(): string | undefined {
  const asked = { amountMinor: 100n, currency: 'USD', walletCurrency: 'KES' }
  try {
    return rates.proceedsOf({ ...asked, environment: 'sandbox' }).rate
  } catch {
    return undefined
  }
}

test('a conversion takes the rate of the moment it settles', async () => {
  const till = await openTill(world)
  await setRate('128', '130')
  const before = await till.balance('USD', 'KE')
  const fields = { amount: 13_000, walletCurrency: 'USD', phoneNumber: '+254700000000' }
  const id = await till.accepted(till.momo(fields))
  await world.work()
  const { exchangeRate } = await till.read(id)
  assert.ok(Math.abs(Number(exchangeRate) * 130 - 1) < 1e-9)
  await setRate('158', '160')
  await world.pass(2000)
  const { transfers } = await storyOf(world, id)
  assert.deepEqual(transfers, ['collected 1300000 KES', 'converted 8125 USD'])
  assert.equal((await till.balance('USD', 'KE')) - before, 8125n)
  const { receiverAmount, receiverCurrency, senderAmount } = await till.read(id)
  assert.deepEqual([receiverAmount, receiverCurrency, senderAmount], [81.25, 'USD', 13_000])
})

test('a conversion that would come to nothing takes the price of the acceptance', async () => {
  const till = await openTill(world)
  await setRate('128', '130')
  const fields = { amount: 2.65, walletCurrency: 'USD', phoneNumber: '+254700000000' }
  const id = await till.accepted(till.momo(fields))
  await world.work()
  await setRate('298', '300')
  await world.pass(2000)
  const { transfers } = await storyOf(world, id)
  assert.deepEqual(transfers, ['collected 265 KES', 'converted 2 USD'])
})

test('without a rate at that moment the one of the acceptance stands, and nothing is lost', async () => {
  const till = await openTill(world)
  await setRate('128', '130')
  const fields = { amount: 13_000, walletCurrency: 'USD', phoneNumber: '+254700000000' }
  const momo = await till.accepted(till.momo(fields))
  const opened = await till.bankTransfer({ currency: 'KES', amount: 13_000, walletCurrency: 'USD' })
  const data = opened.body.data as {
    transactionId: string
    virtualAccount: { accountNumber: string }
  }
  await world.work()
  await db`delete from rates`
  await announceChange(db, 'rates')
  await waitFor(() => rateNow() === undefined)
  const { accountNumber } = data.virtualAccount
  const path = '/utilities/simulate-bank-transfer'
  assert.equal((await till.call('POST', path, { accountNumber, amount: 13_000 })).status, 200)
  await world.pass(2000)
  for (const id of [momo, data.transactionId]) {
    const { state, transfers } = await storyOf(world, id)
    assert.deepEqual(
      [state, transfers],
      ['succeeded', ['collected 1300000 KES', 'converted 10000 USD']],
    )
  }
  const refused = await till.momo(fields)
  assert.deepEqual([refused.status, refused.body.errorCode], [503, 'FX_RATE_UNAVAILABLE'])
  await setRate('128', '130')
})

test('the fee is that of the plan for the method, in the currency of the wallet', async () => {
  const till = await openTill(world)
  const { accountId } = till.owner
  const plan = [
    { kind: 'charge', method: 'momo', percentBasisPoints: 150, fixedMinor: 500 },
    { kind: 'charge', method: 'card', percentBasisPoints: 290, fixedMinor: 0, minMinor: 1000 },
    { kind: 'payout', percentBasisPoints: 5000, fixedMinor: 0 },
  ]
  await db`update accounts set fee_plan = ${db.json(plan)} where id = ${accountId}`
  await announceChange(db, 'all')
  await waitFor(async () => {
    const id = await till.accepted(till.momo({ phoneNumber: '+254700000001' }))
    return (await till.read(id)).fee !== 0
  })
  const before = await till.balance('KES', 'KE')
  const momo = await till.accepted(till.momo())
  const card = await till.accepted(till.card())
  const converted = await till.accepted(till.momo({ amount: 13_000, walletCurrency: 'USD' }))
  await world.work()
  await world.pass(2000)
  assert.deepEqual((await storyOf(world, momo)).transfers, ['collected 150000 KES', 'fee 2750 KES'])
  assert.deepEqual((await storyOf(world, card)).transfers, ['collected 2500 KES', 'fee 1000 KES'])
  assert.deepEqual((await storyOf(world, converted)).transfers, [
    ...['collected 1300000 KES', 'converted 10000 USD', 'fee 650 USD'],
  ])
  assert.equal((await till.balance('KES', 'KE')) - before, 150_000n - 2750n + 2500n - 1000n)
  assert.equal((await till.read(converted)).fee, 6.5)
})

test('a fee never takes more than came in', async () => {
  const till = await openTill(world)
  const plan = [{ kind: 'charge', percentBasisPoints: 0, fixedMinor: 10_000_000 }]
  await db`
    update accounts set fee_plan = ${db.json(plan)} where id = ${till.owner.accountId}`
  await announceChange(db, 'all')
  const id = await waitFor(async () => {
    const made = await till.accepted(till.momo())
    return (await till.read(made)).fee === 1500 ? made : undefined
  })
  await world.work()
  await world.pass(2000)
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 150000 KES', 'fee 150000 KES'])
})

test('a stored payer is charged by its number, name and operator', async () => {
  const till = await openTill(world)
  const payload = { firstName: 'Amina', lastName: 'Kato', phoneNumber: '+256772000000' }
  const fields = { country: 'UG', currency: 'UGX', type: 'deposit', momoOperatorId: 'mtn' }
  const { body, text } = await till.call('POST', '/external-accounts', { ...fields, payload })
  const { id: externalAccountId } = body.data as { id: string }
  assert.ok(externalAccountId, text)
  const before = await till.balance('UGX', 'UG')
  const asked = { externalAccountId, phoneNumber: undefined, currency: 'UGX', amount: 5000 }
  const id = await till.accepted(till.momo(asked))
  await world.work()
  await world.pass(2000)
  assert.equal((await till.balance('UGX', 'UG')) - before, 5000n)
  const { beneficiary } = await till.read(id)
  const { accountName, accountNumber, bankCode } = beneficiary as Record<string, unknown>
  assert.deepEqual([accountName, accountNumber, bankCode], ['Amina Kato', '256772000000', 'mtn'])
})

test('a currency of several countries goes to the wallet of the country of the number', async () => {
  const till = await openTill(world)
  for (const [phoneNumber, momoOperatorId, country] of [
    ['+221771234567', 'orange', 'SN'],
    ['+2250701234567', 'orange', 'CI'],
    ['+2290197123456', 'mtn', 'BJ'],
  ] as const) {
    const before = await till.balance('XOF', country)
    const asked = { phoneNumber, momoOperatorId, currency: 'XOF', amount: 2000 }
    const id = await till.accepted(till.momo(asked))
    await world.work()
    await world.pass(2000)
    assert.equal((await till.balance('XOF', country)) - before, 2000n, country)
    assert.equal((await till.read(id)).country, country)
  }
})

test('codes and vouchers go to the rail and are written down nowhere', async () => {
  const till = await openTill(world)
  const voucherPin = 'VX93K1T7Q5Z2'
  const otpCode = '8460217395'
  const voucher = { currency: 'BWP', phoneNumber: '+26771234567', momoOperatorId: 'OTT' }
  const burkina = { currency: 'XOF', phoneNumber: '+22670123456', momoOperatorId: 'orange' }
  const ids = [
    await till.accepted(till.momo({ ...voucher, voucherPin })),
    await till.accepted(till.momo({ ...burkina, otpCode, amount: 500 })),
  ]
  await world.pass(2000)
  for (const id of ids) {
    assert.equal((await storyOf(world, id)).state, 'succeeded')
    const [row] = await db<{ text: string }[]>`
      select t::text as text from transactions t where id = ${id}`
    assert.ok(!row!.text.includes(voucherPin) && !row!.text.includes(otpCode))
  }
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
