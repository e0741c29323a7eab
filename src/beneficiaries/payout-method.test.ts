import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../errors.ts'
import type { Bank } from '../reference/reference.ts'
import { checkPayoutMethod, type DestinationCodes, type DestinationInput } from './payout-method.ts'

const banks: Bank[] = [
  { id: 1, country: 'UG', code: '04', name: 'With branches', swiftCode: null },
  { id: 2, country: 'UG', code: 'Abc', name: 'Without', swiftCode: null },
]
const operator = (country: string, id: string, prefix: string) => ({
  country,
  id,
  name: id,
  wallet: id,
  currency: 'UGX',
  prefixes: [prefix],
})
const operators = [operator('UG', 'mtn', '25677'), operator('KE', 'mpesa', '25470')]
const branch = { id: 9, bankId: 1, code: 'UG040147', name: 'Kampala', swiftCode: null, bic: null }

const codes: DestinationCodes = {
  operator: (country, id) =>
    operators.find((each) => each.country === country && each.id === id.toLowerCase()),
  operatorOfNumber: (_country, digits) =>
    operators.find(({ prefixes }) => digits.startsWith(prefixes[0]!)),
  banks: (country) => banks.filter((each) => each.country === country),
  bank: (country, code) =>
    banks.find(
      (each) => each.country === country && each.code.toLowerCase() === code.toLowerCase(),
    ),
  branches: (bankId) => (bankId === 1 ? [branch] : []),
  branch: (bank, code) => (bank.id === 1 && code === '040147' ? branch : undefined),
}

const mobile = (fields: object, method: object = {}): DestinationInput => ({
  country: 'UG',
  currency: 'UGX',
  destination: 'MoMo',
  ...fields,
  payoutMethod: { accountName: 'Achieng Otieno', accountNumber: '+256772000001', ...method },
})
const account = (fields: object, method: object = {}): DestinationInput => ({
  ...mobile(fields, { accountNumber: '0012345678', code: '04', branchCode: '040147', ...method }),
  destination: 'Bank Account',
})

const refusal = (code: string, message?: string) => (error: unknown) =>
  error instanceof AppError &&
  error.code === code &&
  (message === undefined || error.message === `Validation error: ${message}`)

test('codes and numbers come out as we write them, whatever case they came in', () => {
  assert.deepEqual(checkPayoutMethod(mobile({ destination: ' momo ' }, { code: 'MTN' }), codes), {
    country: 'UG',
    currency: 'UGX',
    destination: 'MoMo',
    accountName: 'Achieng Otieno',
    accountNumber: '256772000001',
    code: 'mtn',
    branchCode: null,
    businessNumber: null,
  })
  assert.deepEqual(checkPayoutMethod(account({ country: 'ug', currency: 'ugx' }), codes), {
    country: 'UG',
    currency: 'UGX',
    destination: 'Bank Account',
    accountName: 'Achieng Otieno',
    accountNumber: '0012345678',
    code: '04',
    branchCode: 'UG040147',
    businessNumber: null,
  })
})

test('without an operator only KES is taken, unless the number may tell it', () => {
  const kenya = mobile({ country: 'KE', currency: 'KES' }, { accountNumber: '0700000001' })
  assert.equal(checkPayoutMethod(kenya, codes).code, null)
  assert.throws(() => checkPayoutMethod(mobile({}), codes), refusal('MOMO_OPERATOR_ID_REQUIRED'))
  const options = { deriveOperator: true }
  assert.equal(checkPayoutMethod(kenya, codes, options).code, 'mpesa')
  assert.equal(checkPayoutMethod(mobile({}), codes, options).code, 'mtn')
  const uncertain = mobile({}, { accountNumber: '+256701000001' })
  assert.throws(
    () => checkPayoutMethod(uncertain, codes, options),
    refusal('MOMO_OPERATOR_ID_REQUIRED'),
  )
})

test('a bank and a branch must exist where they are known, and have a form where not', () => {
  const unknownBank = account({ country: 'ZA', currency: 'ZAR' }, { code: '250655' })
  const { code, branchCode } = checkPayoutMethod(unknownBank, codes)
  assert.deepEqual([code, branchCode], ['250655', '040147'])
  assert.equal(checkPayoutMethod(account({}, { code: 'ABC' }), codes).code, 'Abc')
  const refused: [DestinationInput, string][] = [
    [account({}, { code: '99' }), 'payoutMethod.code must be the code of a bank of UG.'],
    [
      account({}, { branchCode: '1' }),
      'payoutMethod.branchCode must be the code of a branch of that bank.',
    ],
    [account({}, { branchCode: '', code: '' }), 'Branch code is required for UG and TZ.'],
    [account({}, { branchCode: ' ' }), 'Branch code is required for UG and TZ.'],
    [
      account({ country: 'ZA', currency: 'ZAR' }, { code: 'a b' }),
      'payoutMethod.code must be a bank code.',
    ],
  ]
  for (const [input, sentence] of refused) {
    assert.throws(() => checkPayoutMethod(input, codes), refusal('VALIDATION_ERROR', sentence))
  }
})

test('a currency must be one of ours and be used in the country', () => {
  for (const [country, currency] of [
    ['KE', 'GBP'],
    ['KE', 'UGX'],
    ['CM', 'XOF'],
  ]) {
    const input = account({ country, currency })
    assert.throws(() => checkPayoutMethod(input, codes), refusal('UNSUPPORTED_CURRENCY'))
  }
  assert.equal(checkPayoutMethod(account({ currency: 'USD' }), codes).currency, 'USD')
  for (const country of ['US', 'EU', '', 'UGA']) {
    const input = account({ country, currency: 'USD' })
    assert.throws(() => checkPayoutMethod(input, codes), refusal('VALIDATION_ERROR'))
  }
})

test('paybills and tills exist in Kenya only', () => {
  const kenya = { country: 'KE', currency: 'KES' }
  const paybill = { accountNumber: 'INV/2026-7', businessNumber: '888880', code: 'x' }
  for (const [destination, method, businessNumber] of [
    ['PAYBILL', paybill, '888880'],
    ['till', { accountNumber: '54321', businessNumber: 'x' }, null],
  ] as const) {
    const checked = checkPayoutMethod(mobile({ ...kenya, destination }, method), codes)
    assert.equal(checked.businessNumber, businessNumber)
    assert.equal(checked.code, null)
    assert.throws(
      () => checkPayoutMethod(mobile({ destination }, method), codes),
      refusal('UNSUPPORTED_DESTINATION'),
    )
  }
})

test('a branch we do not list is believed where it looks like one of its bank', () => {
  const other = { branchCode: '040999' }
  assert.equal(checkPayoutMethod(account({}, other), codes).branchCode, '040999')
  assert.throws(
    () => checkPayoutMethod(account({}, { branchCode: '990999' }), codes),
    refusal(
      'VALIDATION_ERROR',
      'payoutMethod.branchCode must be the code of a branch of that bank.',
    ),
  )
})
