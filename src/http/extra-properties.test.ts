import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keysOf, makeMerchant, startLoneNode, tokenFor } from '../../test/app-harness.ts'
import { signInAs } from '../../test/dashboard.ts'
import { routes } from './routes/index.ts'

/** What a caller may not set, in the words of the database and of the code. */
const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)
const other = await makeMerchant(node.db)
const token = await tokenFor(node, keysOf(shop.sandbox))
const { account } = other.sandbox
const extra = {
  ...{ accountId: account.id, account_id: account.id, merchantId: other.merchant.id },
  ...{ slot: account.slot, environment: 'live', scopes: ['payouts'], role: 'owner', isAdmin: true },
  ...{ state: 'paid', status: 'successful', chargeStatus: 'successful', fee: 0, fee_amount: 0 },
  ...{ walletAmount: 1, wallet_id: node.ids.next(account.slot), rail: 'none', due_at: null },
  ...{ id: node.ids.next(account.slot), createdAt: '2020-01-01', deadlineAt: '2099-01-01' },
}

async function send(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await node.send({
    method: 'POST',
    url: `/api/b2b${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

type Row = Record<string, unknown>

/** The rows of both, without what is new in each and names only them. */
async function rowOf(table: string, id: string): Promise<Row> {
  const [found] = await node.db.unsafe(
    `select row_to_json(t) as row from ${table} t where id = '${id}'`,
  )
  const { row } = found as { row: Row }
  const own =
    /^(id|external_reference|.*_at|idempotency|request_|account_number|provider_reference)/
  return Object.fromEntries(Object.entries(row).filter(([name]) => !own.test(name)))
}

for (const id of ['createPayout', 'createMomoCharge', 'createBankTransferCharge']) {
  test(`${id} takes nothing that it does not describe`, async () => {
    const { path, example } = routes.find(({ about }) => about.id === id)!
    const body = example.body as object
    const plain = await send(path, { ...body, externalReference: `${id}-plain` })
    const loaded = await send(path, { ...extra, ...body, externalReference: `${id}-extra` })
    const idOf = (answer: Row) => String(answer.transactionId ?? (answer.data as Row).transactionId)
    const row = await rowOf('transactions', idOf(loaded))
    assert.equal(row.account_id, shop.sandbox.account.id)
    const { details: _one, ...rest } = row
    const { details: _other, ...wanted } = await rowOf('transactions', idOf(plain))
    assert.deepEqual(rest, wanted)
  })
}

test('an external account is made for the caller alone, whatever else is said', async () => {
  const payload = {
    firstName: 'A',
    lastName: 'B',
    phoneNumber: '+254700000042',
    destination: 'MoMo',
  }
  const body = { ...extra, country: 'KE', currency: 'KES', type: 'payout', payload }
  const { data } = await send('/external-accounts', body)
  const made = String((data as Row).id)
  assert.notEqual(made, extra.id)
  assert.equal((await rowOf('beneficiaries', made)).account_id, shop.sandbox.account.id)
})

test('what stands in a payout method and is none of its fields is passed over', async () => {
  const method = { accountName: 'Zawadi', accountNumber: '+254700000043', ...extra, more: [{}] }
  const place = { country: 'KE', currency: 'KES', destination: 'MoMo' }
  const { data } = await send('/external-accounts', { ...place, payoutMethod: method })
  const made = String((data as Row).id)
  const before = await rowOf('beneficiaries', made)
  for (const more of [5, true, null, [], {}, 'text']) {
    const answer = await node.send({
      method: 'PUT',
      url: `/api/b2b/external-accounts/${made}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ payoutMethod: { ...extra, more, account_id: account.id } }),
    })
    assert.equal(answer.status, 200, answer.text)
  }
  assert.deepEqual(await rowOf('beneficiaries', made), before)
  await send('/fiat/payout', { ...place, amount: 5, externalReference: 'm', payoutMethod: method })
})

test('a viewer who adds a role to their profile stays a viewer', async () => {
  const viewer = await signInAs(node, shop, 'viewer')
  const profile = {
    name: 'New Name',
    timeZone: 'UTC',
    ...extra,
    personId: 'x',
    email: 'x@y.example',
  }
  const answer = await viewer.call('PUT', '/profile', profile)
  assert.equal(answer.status, 200, answer.text)
  const [person] = await node.db`
    select role, email, merchant_id as "merchantId" from people where id = ${viewer.personId}`
  assert.deepEqual(
    { ...person },
    { role: 'viewer', email: viewer.email, merchantId: shop.merchant.id },
  )
})
