import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  keysOf,
  makeKeys,
  makeMerchant,
  type Request,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { slotOf } from '../ids.ts'

const node = await startLoneNode({ after })

type Caller = (method: Request['method'], path?: string, body?: unknown) => Promise<Answer>

/** A merchant of its own, so that no test meets the accounts of another. */
async function newCaller(scopes?: string[]): Promise<Caller> {
  const { sandbox } = await makeMerchant(node.db)
  const keys = scopes ? await makeKeys(node.db, sandbox, { scopes }) : keysOf(sandbox)
  const authorization = `Bearer ${await tokenFor(node, keys)}`
  return (method, path = '', body) =>
    node.send({
      method,
      url: `/api/b2b/external-accounts${path}`,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    })
}

const person = {
  country: 'KE',
  currency: 'KES',
  type: 'payout',
  payload: {
    firstName: 'Achieng',
    lastName: 'Otieno',
    phoneNumber: '+254700000001',
    destination: 'MoMo',
  },
}
const bank = {
  country: 'KE',
  currency: 'KES',
  destination: 'Bank Account',
  payoutMethod: { accountName: 'Duka Ltd', accountNumber: '1234567890', code: '01' },
}
const branchMissing = {
  success: false,
  message: 'Validation error: Branch code is required for UG and TZ.',
  errorCode: 'VALIDATION_ERROR',
}
const missing = {
  success: false,
  message: 'Missing external account!',
  errorCode: 'E-BEN.S-90',
}
const inUse = {
  success: false,
  message: 'Account number already in use.',
  errorCode: 'E-BEN.S-35',
}

async function created(call: Caller, body: unknown): Promise<string> {
  const { status, text, body: answer } = await call('POST', '', body)
  assert.equal(status, 200, text)
  assert.deepEqual(Object.keys(answer), ['success', 'message', 'data'])
  const { id } = answer.data as { id: string }
  return id
}

async function shown(call: Caller, id: string): Promise<Record<string, unknown>> {
  const { status, body } = await call('GET', `/${id}`)
  assert.equal(status, 200)
  return body.data as Record<string, unknown>
}

async function stored(call: Caller, body: unknown): Promise<Record<string, unknown>> {
  const {
    externalAccountId: _id,
    createdAt: _at,
    ...rest
  } = await shown(call, await created(call, body))
  return rest
}

test('an account is read as the specification has it, field for field', async () => {
  const call = await newCaller()
  const before = Math.floor(Date.now() / 1000)
  const id = await created(call, person)
  assert.ok(slotOf(id) !== undefined)
  const data = await shown(call, id)
  const { createdAt, ...rest } = data
  assert.deepEqual(rest, {
    externalAccountId: id,
    country: 'KE',
    currency: 'KES',
    destination: 'MoMo',
    payoutMethod: {
      branchCode: '',
      code: 'mpesa',
      accountName: 'Achieng Otieno',
      accountNumber: '254700000001',
    },
  })
  assert.ok(Number.isInteger(createdAt) && Number(createdAt) >= before)
  assert.ok(Number(createdAt) <= Date.now() / 1000)
})

test('every accepted shape of a mobile money account stores the same', async () => {
  const call = await newCaller()
  const method = { accountName: 'Achieng Otieno', accountNumber: '0700 000 001', code: 'MPESA' }
  const { destination: _d, ...withoutDestination } = person.payload
  const shapes: Record<string, unknown> = {
    'of the specification': person,
    'without a type': { ...person, type: undefined },
    'of a deposit': { ...person, type: 'deposit', payload: withoutDestination },
    'without a destination': { ...person, payload: withoutDestination },
    'with a method in the payload': {
      ...person,
      payload: { destination: 'momo', payoutMethod: method },
    },
    'with names and a code': { ...person, payload: { ...person.payload, payoutMethod: method } },
    'with an operator': { ...person, payload: { ...person.payload, momoOperatorId: 'Mpesa' } },
    'with an operator beside it': { ...person, momoOperatorId: 'mpesa' },
    flat: { country: 'ke', currency: 'kes', destination: 'MOMO', payoutMethod: method },
    'with unknown fields': { ...person, colour: 1, payload: { ...person.payload, shoe: [42] } },
  }
  for (const [name, body] of Object.entries(shapes)) {
    const id = await created(call, body)
    const { externalAccountId: _id, createdAt: _at, ...rest } = await shown(call, id)
    assert.deepEqual(
      rest,
      {
        country: 'KE',
        currency: 'KES',
        destination: 'MoMo',
        payoutMethod: {
          branchCode: '',
          code: 'mpesa',
          accountName: 'Achieng Otieno',
          accountNumber: '254700000001',
        },
      },
      name,
    )
    await call('DELETE', `/${id}`)
  }
})

test('banks, paybills and tills are stored in both shapes', async () => {
  const call = await newCaller()
  const { destination, payoutMethod, ...place } = bank
  const flat = await created(call, bank)
  assert.deepEqual((await shown(call, flat)).payoutMethod, { branchCode: '', ...payoutMethod })
  assert.deepEqual((await call('POST', '', bank)).body, inUse)
  await call('DELETE', `/${flat}`)
  await created(call, { ...place, payload: { destination, payoutMethod } })
  const paybill = {
    ...place,
    destination: 'Paybill',
    payoutMethod: { accountName: 'Maji', accountNumber: 'HSE 12/4', businessNumber: '888880' },
  }
  assert.deepEqual(await stored(call, paybill), {
    ...place,
    destination: 'Paybill',
    payoutMethod: { branchCode: '', code: '', ...paybill.payoutMethod },
  })
  const till = {
    ...place,
    payload: { destination: 'till', payoutMethod: { accountName: 'Duka', accountNumber: '54321' } },
  }
  assert.deepEqual(await stored(call, till), {
    ...place,
    destination: 'Till',
    payoutMethod: { branchCode: '', code: '', accountName: 'Duka', accountNumber: '54321' },
  })
})

test('in UG and TZ a bank, and what names no destination, needs a branch code', async () => {
  const call = await newCaller()
  const { destination: _d, ...withoutDestination } = person.payload
  for (const [country, currency] of [
    ['UG', 'UGX'],
    ['TZ', 'TZS'],
  ]) {
    const place = { country, currency }
    const lacking = [
      { ...bank, ...place },
      { ...bank, ...place, payoutMethod: { ...bank.payoutMethod, branchCode: '' } },
      { ...place, payload: { destination: 'Bank Account' } },
      { ...place, payload: { ...withoutDestination, phoneNumber: '+256772000001' } },
      { ...place, payload: {} },
      { ...place },
    ]
    for (const body of lacking) {
      const { status, body: answer } = await call('POST', '', body)
      assert.equal(status, 400)
      assert.deepEqual(answer, branchMissing)
    }
  }
  const [branch] = node.reference.branches(node.reference.bank('UG', '01')!.id)
  const method = { ...bank.payoutMethod, branchCode: branch!.code }
  const uganda = { country: 'UG', currency: 'UGX' }
  const first = await created(call, { ...bank, ...uganda, payoutMethod: method })
  const { payoutMethod } = await shown(call, first)
  assert.deepEqual(payoutMethod, method)
  const elsewhere = { ...method, accountNumber: '99887766' }
  const guessed = await stored(call, { ...uganda, payoutMethod: elsewhere })
  assert.equal(guessed.destination, 'Bank Account')
  const wrong = { ...method, branchCode: 'nowhere' }
  assert.match(
    String((await call('POST', '', { ...bank, ...uganda, payoutMethod: wrong })).body.message),
    /payoutMethod\.branchCode must be the code of a branch of that bank/,
  )
  const mobile = { ...person, ...uganda, payload: { ...person.payload } }
  mobile.payload.phoneNumber = '+256772000001'
  assert.deepEqual((await stored(call, mobile)).payoutMethod, {
    branchCode: '',
    code: 'mtn',
    accountName: 'Achieng Otieno',
    accountNumber: '256772000001',
  })
})

test('each refusal names the field as the caller wrote it', async () => {
  const call = await newCaller()
  const of = (fields: object) => ({ ...person, payload: { ...person.payload, ...fields } })
  const flat = (fields: object) => ({ ...bank, payoutMethod: { ...bank.payoutMethod, ...fields } })
  const refusals: [body: unknown, sentence: string][] = [
    [{ ...person, country: undefined }, 'country is required.'],
    [{ ...person, country: 'XX' }, 'country must be the two-letter code of a supported country.'],
    [{ ...person, type: 'savings' }, 'type must be one of payout, deposit.'],
    [{ ...person, payload: 'x' }, 'payload must be a JSON object.'],
    [of({ phoneNumber: 254700000001 }), 'payload.phoneNumber must be a string.'],
    [of({ phoneNumber: undefined }), 'payload.phoneNumber is required.'],
    [of({ phoneNumber: '+256772000001' }), 'payload.phoneNumber must be a mobile number of KE.'],
    [of({ phoneNumber: '\u0000' }), 'payload.phoneNumber must be a mobile number of KE.'],
    [of({ firstName: ' ' }), 'payload.firstName is required.'],
    [
      of({ firstName: 'A\u0000' }),
      'payload.payoutMethod.accountName must not have control characters.',
    ],
    [of({ lastName: undefined }), 'payload.lastName is required.'],
    [of({ lastName: 'x'.repeat(101) }), 'payload.lastName must have at most 100 characters.'],
    [
      of({ momoOperatorId: 'nokia' }),
      'payload.momoOperatorId must be a mobile money operator of KE.',
    ],
    [
      of({ destination: 'Cash' }),
      'payload.destination must be one of MoMo, Bank Account, Paybill, Till.',
    ],
    [of({ destination: 'Bank Account' }), 'payload.payoutMethod.accountNumber is required.'],
    [{ country: 'KE', currency: 'KES' }, 'destination is required.'],
    [flat({ code: '' }), 'payoutMethod.code is required.'],
    [flat({ code: 'ZZ' }), 'payoutMethod.code must be the code of a bank of KE.'],
    [flat({ code: 1 }), 'payoutMethod.code must be a string.'],
    [
      flat({ accountNumber: '123' }),
      'payoutMethod.accountNumber must be 4 to 34 letters and digits.',
    ],
    [
      flat({ accountName: 'x'.repeat(202) }),
      'payoutMethod.accountName must have at most 201 characters.',
    ],
    [
      { ...flat({ businessNumber: 'x' }), destination: 'Paybill' },
      'payoutMethod.businessNumber must be 4 to 10 digits.',
    ],
    [{ ...flat({}), destination: 'Paybill' }, 'payoutMethod.businessNumber is required.'],
  ]
  for (const [body, sentence] of refusals) {
    const { status, body: answer } = await call('POST', '', body)
    const message = `Validation error: ${sentence}`
    assert.deepEqual(answer, { success: false, message, errorCode: 'VALIDATION_ERROR' })
    assert.equal(status, 400)
  }
  assert.deepEqual((await call('GET')).body, { success: true, data: [] })
})

test('what a country or currency does not have is refused with its code', async () => {
  const call = await newCaller()
  const senegal = { country: 'SN', currency: 'XOF' }
  const mobile = (place: object, phoneNumber: string) => ({
    ...place,
    payload: { ...person.payload, phoneNumber },
  })
  const refusals: [body: object, status: number, code: string][] = [
    [{ ...person, currency: 'GBP' }, 422, 'UNSUPPORTED_CURRENCY'],
    [{ ...person, currency: 'UGX' }, 422, 'UNSUPPORTED_CURRENCY'],
    [{ ...bank, ...senegal, destination: 'Till' }, 422, 'UNSUPPORTED_DESTINATION'],
    [{ ...bank, ...senegal, destination: 'paybill' }, 422, 'UNSUPPORTED_DESTINATION'],
    [{ ...bank, type: 'deposit' }, 422, 'UNSUPPORTED_DESTINATION'],
    // Wave has no numbers of its own, so no number of Senegal is certain.
    [mobile(senegal, '+221770000001'), 400, 'MOMO_OPERATOR_ID_REQUIRED'],
  ]
  for (const [body, status, code] of refusals) {
    const { status: got, body: answer } = await call('POST', '', body)
    assert.equal(answer.errorCode, code)
    assert.equal(got, status)
  }
  const wave = mobile(senegal, '+221770000001')
  await created(call, { ...wave, payload: { ...wave.payload, momoOperatorId: 'wave' } })
})

test('the same number, code and currency is taken once per type, also in another form', async () => {
  const call = await newCaller()
  await created(call, person)
  const again = { ...person, payload: { ...person.payload, phoneNumber: '0700000001' } }
  const { status, body } = await call('POST', '', again)
  assert.equal(status, 409)
  assert.deepEqual(body, inUse)
  await created(call, { ...person, type: 'deposit' })
  await created(call, { ...again, momoOperatorId: 'airtel' })
  await created(await newCaller(), person)
})

test('of many equal creations at once one wins and the others are told so', async () => {
  const call = await newCaller()
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
  const call = await newCaller()
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
  const other = await created(await newCaller(), bank)
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?after=x', `?after=${other}`]) {
    const { status, body } = await call('GET', query)
    assert.equal(status, 400, query)
    assert.equal(body.errorCode, 'VALIDATION_ERROR')
  }
})

test('an update changes what it names and keeps the rest', async () => {
  const call = await newCaller()
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
  const call = await newCaller()
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
  const call = await newCaller()
  // A number that was taken along to another operator.
  const id = await created(call, { ...person, momoOperatorId: 'airtel' })
  const codeNow = async () => ((await shown(call, id)).payoutMethod as { code: string }).code
  await call('PUT', `/${id}`, { payoutMethod: { accountNumber: '0700000001' } })
  assert.equal(await codeNow(), 'airtel')
  await call('PUT', `/${id}`, { payoutMethod: { accountNumber: '0700000002' } })
  assert.equal(await codeNow(), 'mpesa')
})

test('an update to the number of another account is refused', async () => {
  const call = await newCaller()
  await created(call, person)
  const id = await created(call, bank)
  const change = { destination: 'MoMo', payoutMethod: { accountNumber: '+254700000001' } }
  const { status, body } = await call('PUT', `/${id}`, change)
  assert.equal(status, 409)
  assert.deepEqual(body, inUse)
  assert.equal((await shown(call, id)).destination, 'Bank Account')
})

test('a deleted account is gone for every operation, kept in the table, and may come again', async () => {
  const call = await newCaller()
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
  const headers = { authorization, 'content-type': 'application/json', 'content-length': '0' }
  const url = '/api/b2b/external-accounts/x'
  assert.equal((await node.send({ method: 'DELETE', url, headers })).status, 404)
})

test('what is no id of ours is missing, whatever it looks like', async () => {
  const call = await newCaller()
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
  const [reader, keeper] = [await newCaller(['read']), await newCaller(['beneficiaries'])]
  assert.equal((await reader('GET')).status, 200)
  assert.equal((await reader('POST', '', person)).status, 403)
  assert.equal((await keeper('POST', '', person)).status, 200)
  assert.equal((await keeper('GET')).status, 403)
})
