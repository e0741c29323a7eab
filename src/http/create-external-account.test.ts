import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import {
  bank,
  branchMissing,
  created,
  inUse,
  newCaller,
  person,
  shown,
  stored,
} from '../../test/external-accounts.ts'
import { slotOf } from '../ids.ts'

const node = await startLoneNode({ after })

test('an account is read as the specification has it, field for field', async () => {
  const call = await newCaller(node)
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
  const call = await newCaller(node)
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
  const call = await newCaller(node)
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
  const call = await newCaller(node)
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
  const call = await newCaller(node)
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
  const call = await newCaller(node)
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
