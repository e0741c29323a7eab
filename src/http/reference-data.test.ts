import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  businessPath,
  keysOf,
  makeKeys,
  makeMerchant,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'

const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)
const token = await tokenFor(node, keysOf(shop.sandbox))

const get = (path: string, headers: Record<string, string> = {}) =>
  node.send({
    method: 'GET',
    url: `${businessPath}/utilities/${path}`,
    headers: { authorization: `Bearer ${token}`, ...headers },
  })

type Entry = Record<string, unknown>

async function entriesOf(path: string): Promise<Entry[]> {
  const { status, body, text } = await get(path)
  assert.equal(status, 200, text)
  assert.equal(body.success, true)
  return body.data as Entry[]
}

test('countries have the fields of the specification, the decimals as text', async () => {
  const countries = await entriesOf('countries')
  assert.equal(countries.length, 23)
  assert.deepEqual(
    countries.find(({ iso2 }) => iso2 === 'UG'),
    {
      name: 'Uganda',
      iso2: 'UG',
      iso3: 'UGA',
      dialing_code: '+256',
      currency: { code: 'UGX', symbol: 'USh', decimal: '0' },
    },
  )
})

test('every failure of the countries has the body of the specification', async () => {
  const anonymous = await node.send({ method: 'GET', url: `${businessPath}/utilities/countries` })
  assert.equal(anonymous.status, 401)
  assert.deepEqual(Object.keys(anonymous.body), ['success', 'error'])
  assert.equal(anonymous.body.success, false)
  assert.equal(typeof anonymous.body.error, 'string')
  const narrow = await tokenFor(
    node,
    await makeKeys(node.db, shop.sandbox, { scopes: ['charges'] }),
  )
  const refused = await get('countries', { authorization: `Bearer ${narrow}` })
  assert.equal(refused.status, 403)
  assert.deepEqual(refused.body, {
    success: false,
    error: 'This credential does not have the scope read.',
  })
})

test('branches have integer ids, and null where a code is not known', async () => {
  const banks = await entriesOf('banks?country=GH')
  const gcb = banks.find(({ code }) => code === '04')!
  assert.deepEqual(gcb, {
    id: 3004,
    code: '04',
    name: 'GCB Bank',
    country: 'GH',
    swift_code: null,
    has_branches: true,
  })
  const branches = await entriesOf(`branches?bankId=${gcb.id}`)
  for (const branch of branches) {
    assert.deepEqual(Object.keys(branch), [
      'id',
      'branch_code',
      'branch_name',
      'swift_code',
      'bic',
      'bank_id',
    ])
    assert.ok(Number.isInteger(branch.id))
    assert.equal(typeof branch.branch_code, 'string')
    assert.deepEqual([branch.swift_code, branch.bic, branch.bank_id], [null, null, 3004])
  }
  const [first] = await entriesOf('branches?bankId=5002')
  assert.deepEqual(first, {
    id: 5002001,
    branch_code: 'CORUTZTZ',
    branch_name: 'Head Office',
    swift_code: 'CORUTZTZ',
    bic: 'CORUTZTZ',
    bank_id: 5002,
  })
})

test('a bank without branches, or none, is 404; what is no id is 400', async () => {
  for (const id of ['2001', '77777']) {
    const { status, body } = await get(`branches?bankId=${id}`)
    assert.equal(status, 404)
    assert.deepEqual(body, {
      success: false,
      message: 'No branches found for specified bank id',
      errorCode: 'E-API-UT.S-39',
    })
  }
  for (const query of ['', '?bankId=', '?bankId=x', '?bankId=1.5', '?bankId=-1', '?bankId=1e99']) {
    const { status, body } = await get(`branches${query}`)
    assert.equal(status, 400, query)
    assert.match(String(body.message), /^Validation error: bankId /, query)
  }
})

test('operators are listed by country, which may be in lower case', async () => {
  assert.deepEqual(
    (await entriesOf('mobile-money-operators?country=ug')).map(({ id }) => id),
    ['airtel', 'mtn'],
  )
  assert.deepEqual(await entriesOf('mobile-money-operators?country=ZA'), [])
  for (const path of ['mobile-money-operators', 'banks']) {
    for (const query of ['', '?country=', '?country=XX', '?country=KEN']) {
      const { status, body } = await get(path + query)
      assert.equal(status, 400, path + query)
      assert.match(String(body.message), /^Validation error: country /)
    }
  }
})

test('who has a list already is told so, without a body', async () => {
  const paths = ['countries', 'banks?country=KE', 'branches?bankId=4003', 'rates/historical']
  for (const path of [...paths, 'mobile-money-operators?country=KE']) {
    const { headers, text } = await get(path)
    const etag = headers.etag ?? ''
    assert.match(etag, /^"[\w-]{20,}"$/, path)
    assert.match(headers['cache-control'] ?? '', /^private, max-age=\d+$/)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': known })
      assert.deepEqual([again.status, again.text], [304, ''], path)
      assert.equal(again.headers.etag, etag)
    }
    assert.equal((await get(path, { 'if-none-match': '"other"' })).text, text)
  }
})

test('past rates are one entry per pair and day, newest first', async () => {
  const entries = await entriesOf('rates/historical?from=usd&to=KES')
  // The rates of these tests were made at their start, which may have been yesterday.
  assert.ok(entries.length === 30 || entries.length === 29)
  for (const { currencyPair, buy, sell, updatedAt } of entries) {
    assert.equal(currencyPair, 'USD/KES')
    assert.ok(typeof buy === 'number' && typeof sell === 'number' && buy <= sell)
    assert.equal(new Date(String(updatedAt)).toISOString(), updatedAt)
  }
  const all = await entriesOf('rates/historical')
  assert.equal(all.length, entries.length * 19)
  const times = all.map(({ updatedAt }) => String(updatedAt).slice(0, 10))
  assert.deepEqual(times, times.toSorted().toReversed())
  assert.deepEqual(await entriesOf('rates/historical?to=KES'), entries)
  assert.equal((await get('rates/historical?from=GBP')).status, 422)
  assert.equal((await get('rates/historical?from=KES&to=KES')).status, 400)
})

test('an amount is converted at the current rate, and rounded down', async () => {
  const { body } = await get('rates?from=USD&to=KES&amount=100')
  assert.deepEqual(body, {
    success: true,
    data: { conversionRate: 128.554, convertedAmount: 12855.4 },
  })
  const { data } = (await get('rates?from=KES&to=UGX&amount=0.01')).body as { data: Entry }
  assert.equal(data.convertedAmount, 0)
  assert.equal((await get('rates?from=KES&to=KES&amount=5.25')).body.success, true)
  const refusals: [string, number, RegExp][] = [
    ['from=USD&to=GBP&amount=1', 422, /UNSUPPORTED_CURRENCY/],
    ['from=USD&amount=1', 400, /to is required/],
    ['from=USD&to=KES&amount=-1', 400, /amount must not be negative/],
    ['from=UGX&to=KES&amount=1.5', 400, /amount must be a whole number/],
    ['from=USD&to=KES&amount=x', 400, /amount must be a number/],
  ]
  for (const [query, status, words] of refusals) {
    const answer = await get(`rates?${query}`)
    assert.equal(answer.status, status, query)
    assert.match(answer.text, words)
  }
})

test('without a current rate the answer is 503 and says it may be tried again', async (t) => {
  const other = await startLoneNode(t, { clock: { now: () => Date.now() + 49 * 3_600_000 } })
  const merchant = await makeMerchant(other.db)
  const later = await tokenFor(other, keysOf(merchant.sandbox))
  const { status, body } = await other.send({
    method: 'GET',
    url: `${businessPath}/utilities/rates?from=USD&to=KES&amount=1`,
    headers: { authorization: `Bearer ${later}` },
  })
  assert.equal(status, 503)
  assert.equal(body.errorCode, 'FX_RATE_UNAVAILABLE')
})
