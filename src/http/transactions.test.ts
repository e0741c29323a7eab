import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  keysOf,
  makeMerchant,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { addTransaction, type TransactionFields } from '../../test/transactions.ts'
import { manualClock } from '../clock.ts'
import { createIds } from '../ids.ts'

const node = await startLoneNode({ after })

type Item = Record<string, unknown> & { transactionId: string }
type Shop = {
  get(path: string): Promise<Answer>
  /** The ids of a page that must be answered. */
  page(query: string): Promise<string[]>
  add(fields?: Partial<TransactionFields>): Promise<string>
  idAt(iso: string): string
}

/** A merchant of its own, so that no test meets the records of another. */
async function openShop(timeZone = 'UTC'): Promise<Shop> {
  const { sandbox } = await makeMerchant(node.db)
  const { account } = sandbox
  await node.db`update accounts set time_zone = ${timeZone} where id = ${account.id}`
  const authorization = `Bearer ${await tokenFor(node, keysOf(sandbox))}`
  const get = (path: string) =>
    node.send({ method: 'GET', url: `/api/b2b/transactions${path}`, headers: { authorization } })
  return {
    get,
    async page(query) {
      const { status, body } = await get(query)
      assert.equal(status, 200, query)
      return (body.data as Item[]).map(({ transactionId }) => transactionId)
    },
    add: (fields) => addTransaction(node.db, node.ids, account, fields),
    idAt: (iso) => createIds(manualClock(Date.parse(iso))).next(account.slot),
  }
}

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
  const shop = await openShop('Africa/Nairobi')
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
  const shop = await openShop()
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
  const shop = await openShop('Africa/Nairobi')
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
  const shop = await openShop()
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
  const shop = await openShop()
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
  const shop = await openShop()
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

test('a page has three records, or one to ten as asked for, newest first', async () => {
  const shop = await openShop()
  assert.deepEqual(await shop.page(''), [])
  const made: string[] = []
  for (let number = 0; number < 12; number++) made.unshift(await shop.add())
  assert.deepEqual(await shop.page(''), made.slice(0, 3))
  assert.deepEqual(await shop.page('?limit=1'), made.slice(0, 1))
  assert.deepEqual(await shop.page('?limit=10'), made.slice(0, 10))
  assert.deepEqual(await shop.page(`?limit=10&transactionId=${made[9]}`), made.slice(10))
  assert.deepEqual(await shop.page(`?transactionId=${made[11]}`), [])
})

test('each filter keeps what it names, alone and with the others', async () => {
  const shop = await openShop()
  const made: { id: string; currency: string; kind: string; status: string }[] = []
  for (const currency of ['KES', 'UGX']) {
    for (const kind of ['payout', 'charge', 'reversal']) {
      for (const status of ['pending', 'successful', 'failed']) {
        const id = await shop.add({ currency, kind, status, wallet_currency: 'KES' })
        made.unshift({ id, currency, kind, status })
      }
    }
  }
  const words: Record<string, string[]> = {
    deposit: ['charge', 'reversal'],
    withdrew: ['payout'],
    withdrawal: ['payout'],
  }
  for (const currency of ['', 'KES', 'ugx', 'ZMW', 'XXX']) {
    for (const type of ['', ...Object.keys(words)]) {
      for (const status of ['', 'pending', 'successful', 'failed']) {
        const query = `?limit=10&currency=${currency}&type=${type}${status && `&status=${status}`}`
        const expected = made
          .filter((each) => currency === '' || each.currency === currency.toUpperCase())
          .filter(({ kind }) => type === '' || words[type]!.includes(kind))
          .filter((each) => status === '' || each.status === status)
          .map(({ id }) => id)
        assert.deepEqual(await shop.page(query), expected.slice(0, 10), query)
        const fifth = expected[4]
        if (fifth === undefined) continue
        const rest = await shop.page(`${query}&transactionId=${fifth}`)
        assert.deepEqual(rest, expected.slice(5, 15), `${query}, the second page`)
      }
    }
  }
})

test('a reference finds its record, if the other filters want it', async () => {
  const shop = await openShop()
  const id = await shop.add({ external_reference: 'order 7', status: 'failed' })
  const newer = await shop.add()
  const query = '?externalReference=order%207'
  assert.deepEqual(await shop.page(query), [id])
  assert.deepEqual(await shop.page(`${query}&status=failed&currency=KES&type=withdrew`), [id])
  assert.deepEqual(await shop.page(`${query}&transactionId=${newer}`), [id])
  for (const unwanted of [
    'status=pending',
    'currency=UGX',
    'type=deposit',
    'endDate=2020-01-01',
    'startDate=2100-01-01',
    `transactionId=${id}`,
  ]) {
    assert.deepEqual(await shop.page(`${query}&${unwanted}`), [], unwanted)
  }
  assert.deepEqual(await shop.page('?externalReference=a%00b'), [])
})

test('days count in the time zone of the account, both ends included', async () => {
  const shop = await openShop('Africa/Nairobi')
  const times = [
    '2026-03-01T20:59:59.999Z',
    '2026-03-01T21:00:00.000Z',
    '2026-03-02T20:59:59.999Z',
    '2026-03-02T21:00:00.000Z',
  ]
  const [first, second, third, fourth] = await Promise.all(
    times.map((time) => shop.add({ id: shop.idAt(time) })),
  )
  assert.deepEqual(await shop.page('?startDate=2026-03-02&endDate=2026-03-02'), [third, second])
  assert.deepEqual(await shop.page('?startDate=2026-03-02'), [fourth, third, second])
  assert.deepEqual(await shop.page('?endDate=2026-03-02'), [third, second, first])
  assert.deepEqual(await shop.page('?endDate=2026-03-02&status=successful&limit=2'), [
    third,
    second,
  ])
  assert.deepEqual(await shop.page(`?startDate=2026-03-02&transactionId=${third}`), [second])
  assert.deepEqual(await shop.page(`?endDate=2026-03-01&transactionId=${fourth}`), [first])
})

test('every 400 of the list is an empty object, and other refusals are not', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const foreign = await other.add()
  const wrong = [
    'limit=0',
    'limit=11',
    'limit=-1',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'status=unknown',
    'status=SUCCESSFUL',
    'status=',
    'type=transfer',
    'currency=KESX',
    'currency=%00%00%00',
    'startDate=2026-02-30',
    'startDate=01-02-2026',
    'endDate=',
    'endDate=2026-01-01T00:00:00Z',
    'startDate=2026-01-02&endDate=2026-01-01',
    'transactionId=',
    'transactionId=x',
    'transactionId=%00',
    `transactionId=${shop.idAt('2026-01-01T00:00:00Z')}`,
    `transactionId=${foreign}`,
    'externalReference=',
    `externalReference=${'x'.repeat(101)}`,
  ]
  for (const query of wrong) {
    const { status, text, headers } = await shop.get(`?${query}`)
    assert.equal(status, 400, query)
    assert.equal(text, '{}', query)
    assert.ok(headers['x-request-id'])
  }
  const { status, body } = await node.send({ method: 'GET', url: '/api/b2b/transactions?limit=0' })
  assert.equal(status, 401)
  assert.equal(body.errorCode, 'UNAUTHORIZED')
})

test('a walk by cursor while records arrive shows each once and in order', async () => {
  const shop = await openShop()
  const there: string[] = []
  for (let number = 0; number < 40; number++) {
    there.unshift(await shop.add({ status: number % 3 === 0 ? 'pending' : 'successful' }))
  }
  const pending = there.filter((_id, index) => (there.length - 1 - index) % 3 === 0)
  for (const [filter, expected] of [
    ['', there],
    ['&status=pending', pending],
  ] as const) {
    const walked: string[] = []
    for (;;) {
      const cursor = walked.length ? `&transactionId=${walked.at(-1)}` : ''
      const [page] = await Promise.all([
        shop.page(`?limit=7${filter}${cursor}`),
        ...Array.from({ length: 5 }, () => shop.add({ status: 'pending' })),
      ])
      walked.push(...page)
      if (page.length < 7) break
    }
    // What came while the first page was read may be on it; the rest is exactly what was there.
    assert.deepEqual(
      walked.filter((id) => expected.includes(id)),
      expected,
    )
    assert.equal(new Set(walked).size, walked.length)
    assert.deepEqual(walked, [...walked].sort().reverse())
  }
})
