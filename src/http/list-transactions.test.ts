import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { openShop } from '../../test/transactions.ts'

const node = await startLoneNode({ after })

test('a page has three records, or one to ten as asked for, newest first', async () => {
  const shop = await openShop(node)
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
  const shop = await openShop(node)
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
  const shop = await openShop(node)
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
  const shop = await openShop(node, 'Africa/Nairobi')
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
  const [shop, other] = [await openShop(node), await openShop(node)]
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
  const shop = await openShop(node)
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
