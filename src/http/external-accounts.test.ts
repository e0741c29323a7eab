import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  keysOf,
  makeMerchant,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import {
  bank,
  branchMissing,
  created,
  inUse,
  missing,
  newCaller,
  person,
  shown,
} from '../../test/external-accounts.ts'

const node = await startLoneNode({ after })

test('the same number, code and currency is taken once per type, also in another form', async () => {
  const call = await newCaller(node)
  await created(call, person)
  const again = { ...person, payload: { ...person.payload, phoneNumber: '0700000001' } }
  const { status, body } = await call('POST', '', again)
  assert.equal(status, 409)
  assert.deepEqual(body, inUse)
  await created(call, { ...person, type: 'deposit' })
  await created(call, { ...again, momoOperatorId: 'airtel' })
  await created(await newCaller(node), person)
})

test('of many equal creations at once one wins and the others are told so', async () => {
  const call = await newCaller(node)
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', '', person)))
  const won = answers.filter(({ status }) => status === 200)
  assert.equal(won.length, 1)
  for (const { status, body } of answers.filter((each) => each !== won[0])) {
    assert.equal(status, 409)
    assert.deepEqual(body, inUse)
  }
  assert.equal(((await call('GET')).body.data as unknown[]).length, 1)
})

test('the list has all, newest first, and its pages join without gap or repeat', async () => {
  const call = await newCaller(node)
  const made: string[] = []
  for (let number = 0; number < 7; number++) {
    made.unshift(
      await created(call, {
        ...bank,
        payoutMethod: { ...bank.payoutMethod, accountNumber: `10000${number}` },
      }),
    )
  }
  const idsOf = ({ body }: Answer) =>
    (body.data as { externalAccountId: string }[]).map((each) => each.externalAccountId)
  assert.deepEqual(idsOf(await call('GET')), made)
  assert.deepEqual(idsOf(await call('GET', `?after=${made[3]}`)), made.slice(4))
  const walked: string[] = []
  for (;;) {
    const after = walked.length ? `&after=${walked.at(-1)}` : ''
    const page = idsOf(await call('GET', `?limit=2${after}`))
    walked.push(...page)
    // The cursor may be gone by then.
    if (walked.length === 4) await call('DELETE', `/${walked[3]}`)
    if (page.length < 2) break
  }
  assert.deepEqual(walked, made)
  const other = await created(await newCaller(node), bank)
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?after=x', `?after=${other}`]) {
    const { status, body } = await call('GET', query)
    assert.equal(status, 400, query)
    assert.equal(body.errorCode, 'VALIDATION_ERROR')
  }
})

test('an update changes what it names and keeps the rest', async () => {
  const call = await newCaller(node)
  const id = await created(call, bank)
  const { createdAt } = await shown(call, id)
  const change = { payoutMethod: { accountName: 'Duka Kubwa Ltd', code: '', branchCode: '01094' } }
  const { status, body } = await call('PUT', `/${id}`, change)
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, message: 'External account updated successfully.' })
  const after = {
    externalAccountId: id,
    country: 'KE',
    currency: 'KES',
    destination: 'Bank Account',
    createdAt,
    payoutMethod: {
      branchCode: '01094',
      code: '01',
      accountName: 'Duka Kubwa Ltd',
      accountNumber: '1234567890',
    },
  }
  assert.deepEqual(await shown(call, id), after)
  // What was read may be sent back as it is.
  assert.equal((await call('PUT', `/${id}`, await shown(call, id))).status, 200)
  assert.deepEqual(await shown(call, id), after)
})

test('an update to another place asks for what is needed there, and refuses leave no trace', async () => {
  const call = await newCaller(node)
  const id = await created(call, bank)
  const before = await shown(call, id)
  const uganda = { country: 'UG', currency: 'UGX' }
  const refusals: [change: object, code: string][] = [
    [uganda, 'VALIDATION_ERROR'],
    [{ currency: 'UGX' }, 'UNSUPPORTED_CURRENCY'],
    [{ country: 'SN', currency: 'XOF', destination: 'Till' }, 'UNSUPPORTED_DESTINATION'],
    [{ destination: 'MoMo' }, 'VALIDATION_ERROR'],
    [{ payoutMethod: { accountNumber: 1 } }, 'VALIDATION_ERROR'],
    [
      {
        country: 'SN',
        currency: 'XOF',
        destination: 'MoMo',
        payoutMethod: { accountNumber: '+221770000001' },
      },
      'MOMO_OPERATOR_ID_REQUIRED',
    ],
  ]
  for (const [change, code] of refusals) {
    assert.equal((await call('PUT', `/${id}`, change)).body.errorCode, code)
  }
  assert.deepEqual((await call('PUT', `/${id}`, uganda)).body, branchMissing)
  assert.deepEqual(await shown(call, id), before)
  const momo = { destination: 'MoMo', payoutMethod: { accountNumber: '+254733000001' } }
  assert.equal((await call('PUT', `/${id}`, momo)).status, 200)
  assert.deepEqual((await shown(call, id)).payoutMethod, {
    branchCode: '',
    code: 'airtel',
    accountName: 'Duka Ltd',
    accountNumber: '254733000001',
  })
})

test('an operator stays with its number, and is found anew for another', async () => {
  const call = await newCaller(node)
  // A number that was taken along to another operator.
  const id = await created(call, { ...person, momoOperatorId: 'airtel' })
  const codeNow = async () => ((await shown(call, id)).payoutMethod as { code: string }).code
  await call('PUT', `/${id}`, { payoutMethod: { accountNumber: '0700000001' } })
  assert.equal(await codeNow(), 'airtel')
  await call('PUT', `/${id}`, { payoutMethod: { accountNumber: '0700000002' } })
  assert.equal(await codeNow(), 'mpesa')
})

test('an update to the number of another account is refused', async () => {
  const call = await newCaller(node)
  await created(call, person)
  const id = await created(call, bank)
  const change = { destination: 'MoMo', payoutMethod: { accountNumber: '+254700000001' } }
  const { status, body } = await call('PUT', `/${id}`, change)
  assert.equal(status, 409)
  assert.deepEqual(body, inUse)
  assert.equal((await shown(call, id)).destination, 'Bank Account')
})

test('a deleted account is gone for every operation, kept in the table, and may come again', async () => {
  const call = await newCaller(node)
  const id = await created(call, person)
  const { status, body } = await call('DELETE', `/${id}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, message: 'External account deleted successfully.' })
  for (const answer of [
    await call('GET', `/${id}`),
    await call('PUT', `/${id}`, {}),
    await call('DELETE', `/${id}`),
  ]) {
    assert.equal(answer.status, 404)
    assert.deepEqual(answer.body, missing)
  }
  assert.deepEqual((await call('GET')).body, { success: true, data: [] })
  const [kept] = await node.db`select deleted_at as "deletedAt" from beneficiaries where id = ${id}`
  assert.ok(kept?.deletedAt)
  assert.notEqual(await created(call, person), id)
})

test('a deletion is understood from clients that always say they send JSON', async () => {
  const { sandbox } = await makeMerchant(node.db)
  const authorization = `Bearer ${await tokenFor(node, keysOf(sandbox))}`
  const headers = { authorization, 'content-type': 'application/json' }
  const url = '/api/b2b/external-accounts/x'
  assert.equal((await node.send({ method: 'DELETE', url, headers })).status, 404)
})

test('what is no id of ours is missing, whatever it looks like', async () => {
  const call = await newCaller(node)
  const unknown = ['x', '%00', '01990a3c-5a00-7001-8a5b-3c2d1e0f0042', "'; drop table x", 'null']
  for (const id of unknown.map((each) => each.replaceAll(' ', '%20'))) {
    for (const answer of [
      await call('GET', `/${id}`),
      await call('PUT', `/${id}`, {}),
      await call('DELETE', `/${id}`),
    ]) {
      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, missing)
    }
  }
})

test('reading and changing need their own scopes', async () => {
  const [reader, keeper] = [
    await newCaller(node, ['read']),
    await newCaller(node, ['beneficiaries']),
  ]
  assert.equal((await reader('GET')).status, 200)
  assert.equal((await reader('POST', '', person)).status, 403)
  assert.equal((await keeper('POST', '', person)).status, 200)
  assert.equal((await keeper('GET')).status, 403)
})
