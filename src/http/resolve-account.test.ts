import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  businessPath,
  keysOf,
  makeMerchant,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'

const node = await startLoneNode({ after }, { settings: { MALIPO_RATE_LIMIT: '1000' } })
const shop = await makeMerchant(node.db)
const token = await tokenFor(node, keysOf(shop.sandbox))
const liveToken = await tokenFor(node, keysOf(shop.live))

const resolve = (body: object, bearer = token) =>
  node.send({
    method: 'POST',
    url: `${businessPath}/utilities/account/resolve`,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })

const kenyan = { accountNumber: '+254700000000', currency: 'KES', method: 'momo' }

test('a number has the same name every time, and an id without the plus', async () => {
  const first = await resolve({ ...kenyan, momoOperator: 'mpesa' })
  assert.equal(first.status, 200, first.text)
  const data = first.body.data as { accountId: string; accountName: string }
  assert.equal(data.accountId, '254700000000')
  assert.match(data.accountName, /^[A-Z][a-z]+ [A-Z][a-z]+$/)
  assert.deepEqual((await resolve(kenyan)).body.data, data)
})

test('a bank account is resolved by the code of its bank', async () => {
  const body = { accountNumber: '0123456789', currency: 'NGN', method: 'bank', bankCode: '044' }
  const { status, body: answer } = await resolve(body)
  assert.equal(status, 200)
  assert.equal((answer.data as { accountId: string }).accountId, '0123456789')
})

test('an account nobody has is refused with the code of the specification', async () => {
  const { status, body } = await resolve({ ...kenyan, accountNumber: '+254700000008' })
  assert.equal(status, 404)
  assert.deepEqual(body, {
    success: false,
    message: 'Account does not exist.',
    errorCode: 'E-CH-PY.S-37',
  })
})

test('what cannot be asked is refused, each with its code', async () => {
  const refusals: [object, number, string][] = [
    [{ ...kenyan, currency: 'GBP' }, 422, 'UNSUPPORTED_CURRENCY'],
    [{ ...kenyan, method: 'card' }, 400, 'VALIDATION_ERROR'],
    [{ ...kenyan, accountNumber: '12' }, 400, 'VALIDATION_ERROR'],
    [{ ...kenyan, momoOperator: 'nobody' }, 400, 'VALIDATION_ERROR'],
    [{ ...kenyan, method: 'bank' }, 400, 'VALIDATION_ERROR'],
    [{ ...kenyan, method: 'bank', bankCode: '!!' }, 400, 'VALIDATION_ERROR'],
    [
      { ...kenyan, accountNumber: '+256772000001', currency: 'UGX' },
      400,
      'MOMO_OPERATOR_ID_REQUIRED',
    ],
  ]
  for (const [body, status, errorCode] of refusals) {
    const answer = await resolve(body)
    assert.deepEqual([answer.status, answer.body.errorCode], [status, errorCode], answer.text)
  }
})

test('without a rail that can tell, nobody is made up', async () => {
  const { status, body } = await resolve(kenyan, liveToken)
  assert.deepEqual([status, body.errorCode], [404, 'PROVIDER_NOT_FOUND'])
})

test('a credential may ask 60 times a minute and no more', async () => {
  let answer = await resolve(kenyan)
  for (let asked = 0; asked < 60 && answer.status === 200; asked++) answer = await resolve(kenyan)
  assert.deepEqual([answer.status, answer.body.errorCode], [429, 'RATE_LIMITED'])
  assert.ok(Number(answer.headers['retry-after']) > 0)
})
