import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { type Item, openShop, type TransactionFields } from '../../test/transactions.ts'

const node = await startLoneNode({ after })

const converted: Partial<TransactionFields> = {
  kind: 'payout',
  status: 'successful',
  external_reference: 'order/1 ü',
  method: 'bank',
  destination: 'Bank Account',
  country: 'UG',
  currency: 'UGX',
  amount: 370_000n,
  wallet_currency: 'USD',
  wallet_amount: 10_050n,
  fee: 25n,
  exchange_rate: '3681.5920',
  account_name: 'Nakato Stores',
  account_number: '0012345678',
  code: '04',
  provider_reference: 'SBX-1',
  updated_at: new Date('2026-01-31T21:30:05Z'),
}

test('an item has every field of the specification, in the time of the account', async () => {
  const shop = await openShop(node, 'Africa/Nairobi')
  const id = shop.idAt('2026-01-31T21:30:00.007Z')
  await shop.add({ ...converted, id })
  const { status, body } = await shop.get('')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    success: true,
    data: [
      {
        transactionId: id,
        type: 'withdrew',
        status: 'SUCCESSFUL',
        chargeStatus: 'successful',
        amount: 370000,
        senderAmount: 100.5,
        receiverAmount: 370000,
        currency: 'UGX',
        senderCurrency: 'USD',
        receiverCurrency: 'UGX',
        country: 'UG',
        destination: 'Bank Account',
        fullTimestamp: '2026-02-01T00:30:00.007+03:00',
        year: '2026',
        month: 'February',
        day: 'Sunday',
        beneficiary: {
          country: 'Uganda',
          bankCode: '04',
          accountName: 'Nakato Stores',
          destination: 'Bank Account',
          currency: 'UGX',
          accountNumber: '0012345678',
        },
      },
    ],
  })
})

test('money that came in was sent by the customer and received by the wallet', async () => {
  const shop = await openShop(node)
  for (const kind of ['charge', 'reversal']) {
    const id = await shop.add({
      kind,
      status: 'pending',
      amount: 129_500n,
      wallet_currency: 'USD',
      wallet_amount: 1000n,
      code: null,
    })
    const { body } = await shop.get('?limit=1')
    const [item] = body.data as Item[]
    assert.equal(item?.transactionId, id)
    assert.equal(item.type, 'deposit')
    assert.deepEqual([item.status, item.chargeStatus], ['PENDING', 'pending'])
    assert.deepEqual([item.amount, item.currency], [1295, 'KES'])
    assert.deepEqual([item.senderAmount, item.senderCurrency], [1295, 'KES'])
    assert.deepEqual([item.receiverAmount, item.receiverCurrency], [10, 'USD'])
    assert.equal((item.beneficiary as { bankCode: string }).bankCode, '')
    assert.match(String(item.fullTimestamp), /\+00:00$/)
  }
})

test('one is read whole by its id or by its reference', async () => {
  const shop = await openShop(node, 'Africa/Nairobi')
  const id = shop.idAt('2026-01-31T21:30:00.007Z')
  await shop.add({ ...converted, id })
  const { status, body } = await shop.get(`/${id}`)
  assert.equal(status, 200)
  const [item] = (await shop.get('')).body.data as Item[]
  assert.deepEqual(body, {
    success: true,
    data: {
      ...item,
      externalReference: 'order/1 ü',
      method: 'bank',
      fee: 0.25,
      exchangeRate: 3681.592,
      failureReason: null,
      stepRequired: null,
      redirectUrl: null,
      providerReference: 'SBX-1',
      createdAt: '2026-02-01T00:30:00.007+03:00',
      updatedAt: '2026-02-01T00:30:05.000+03:00',
    },
  })
  assert.deepEqual((await shop.get(`/${encodeURIComponent('order/1 ü')}`)).body, body)
})

test('what a charge waits for and why one failed is told', async () => {
  const shop = await openShop(node)
  const waiting = {
    kind: 'charge',
    method: 'card',
    status: 'pending',
    step_required: 'redirect',
    redirect_url: 'https://bank.example/3ds',
  }
  const { body } = await shop.get(`/${await shop.add(waiting)}`)
  const { stepRequired, redirectUrl, method } = body.data as Item
  assert.deepEqual(
    [stepRequired, redirectUrl, method],
    ['redirect', 'https://bank.example/3ds', 'card'],
  )
  const failed = await shop.add({ status: 'failed', failure_reason: 'declined' })
  const { failureReason, chargeStatus, providerReference } = (await shop.get(`/${failed}`)).body
    .data as Item
  assert.deepEqual([failureReason, chargeStatus, providerReference], ['declined', 'failed', null])
})

test('a reference that looks like an id works, and an id goes before a reference', async () => {
  const shop = await openShop(node)
  const first = await shop.add()
  const foreign = '0199c0de-0000-7000-8000-000000000000'
  const ownLooking = shop.idAt('2026-01-01T00:00:00Z')
  const byForeign = await shop.add({ external_reference: foreign })
  const byOwn = await shop.add({ external_reference: ownLooking })
  await shop.add({ external_reference: first })
  const idOf = async (text: string) =>
    ((await shop.get(`/${text}`)).body.data as Item).transactionId
  assert.equal(await idOf(foreign), byForeign)
  assert.equal(await idOf(ownLooking), byOwn)
  assert.equal(await idOf(first), first)
})

test('what does not exist is not found', async () => {
  const shop = await openShop(node)
  await shop.add()
  const unknown = ['x', '%00', 'a%00b', shop.idAt('2026-01-01T00:00:00Z'), 'x'.repeat(150)]
  for (const path of unknown) {
    const { status, body } = await shop.get(`/${path}`)
    assert.equal(status, 404)
    assert.deepEqual(body, {
      success: false,
      message: 'There is no transaction with this ID or external reference.',
      errorCode: 'TRANSACTION_NOT_FOUND',
    })
  }
})
