import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  bankTransferBody,
  cardBody,
  cardDetails,
  goodCard,
  momoBody,
  openTill,
  startChargeWorld,
} from '../../test/charge-world.ts'
import type { ErrorCode } from '../errors.ts'
import { statusOf } from './statuses.ts'

const world = await startChargeWorld({ after })

const tables = [
  ...['transactions', 'wallets', 'transfers', 'webhooks', 'rail_attempts', 'rail_callbacks'],
  ...['sandbox_rail_book', 'virtual_accounts', 'arrivals', 'suspense_items', 'beneficiaries'],
]

/** Changes with every row of every table a charge may write to. */
async function recordsHash(): Promise<string> {
  const hashes = await Promise.all(
    tables.map(async (table) => {
      const rows = world.db.unsafe(`(select t::text as line from ${table} t) t`)
      const [row] = await world.db<{ hash: string | null }[]>`
        select md5(string_agg(line, ' ' order by line)) as hash from ${rows}`
      return `${table} ${row?.hash}`
    }),
  )
  return hashes.join('\n')
}

/** A change of a good body, and what is said about it: the field by its name, or a code. */
type Bad = [change: object, named: string, code?: ErrorCode]
const long = (length: number) => 'x'.repeat(length)
const absent = undefined

const badAmounts: Bad[] = [absent, '1500', 0, -1, 0.001, 1.005, 1e16, null, true].map((amount) => [
  { amount },
  'amount',
])
const badCommon: Bad[] = [
  ...badAmounts,
  [{ currency: absent }, 'currency'],
  [{ currency: 5 }, 'currency'],
  [{ currency: 'KE' }, 'currency'],
  [{ currency: 'XYZ' }, 'currency', 'UNSUPPORTED_CURRENCY'],
  [{ externalReference: absent }, 'externalReference'],
  [{ externalReference: '' }, 'externalReference'],
  [{ externalReference: long(101) }, 'externalReference'],
  [{ externalReference: 5 }, 'externalReference'],
  [{ walletCurrency: 5 }, 'walletCurrency'],
  [{ walletCurrency: 'KESX' }, 'walletCurrency'],
  [{ walletCurrency: 'XYZ' }, 'walletCurrency', 'WALLET_CURRENCY_NOT_SUPPORTED'],
]
const badEmails: Bad[] = [absent, 5, '', 'nobody', 'a b@c.example', `${long(250)}@x.example`].map(
  (email) => [{ email }, 'email'],
)
const badUrls = (name: string): Bad[] =>
  [5, 'shop.example', 'ftp://shop.example', 'javascript:alert(1)', `https://x/${long(2048)}`].map(
    (url) => [{ [name]: url }, name],
  )

const voucher = { currency: 'BWP', phoneNumber: '+26771234567', momoOperatorId: 'ott' }
const burkina = { currency: 'XOF', phoneNumber: '+22670123456', momoOperatorId: 'orange' }
const uganda = { currency: 'UGX', phoneNumber: '+256772000000' }

const badMomo: Bad[] = [
  ...badCommon,
  [{ phoneNumber: absent }, 'phoneNumber'],
  ...[5, '', 'abc', '12', '+256772000000', long(33)].map(
    (phoneNumber): Bad => [{ phoneNumber }, 'phoneNumber'],
  ),
  [{ phoneNumber: absent, externalAccountId: 5 }, 'externalAccountId'],
  [{ phoneNumber: absent, externalAccountId: long(65) }, 'externalAccountId'],
  [{ phoneNumber: absent, externalAccountId: 'nobody' }, 'external account', 'E-BEN.S-90'],
  [{ momoOperatorId: 5 }, 'momoOperatorId'],
  [{ momoOperatorId: 'nobody' }, 'momoOperatorId'],
  [{ momoOperatorId: 'ott' }, 'momoOperatorId'],
  [uganda, 'operator', 'MOMO_OPERATOR_ID_REQUIRED'],
  [{ ...uganda, momoOperatorId: ' ' }, 'operator', 'MOMO_OPERATOR_ID_REQUIRED'],
  ...[5, '123', 'abcdef', '12345678901'].map((otpCode): Bad => [{ otpCode }, 'otpCode']),
  [burkina, 'otpCode', 'MOMO_CODE_REQUIRED'],
  [voucher, 'voucherPin'],
  ...[5, '12345678901', '12345678901234567', '123456789 12', long(33)].map(
    (voucherPin): Bad => [{ ...voucher, voucherPin }, 'voucherPin'],
  ),
  ...badUrls('successRedirectUrl'),
  ...badUrls('failureRedirectUrl'),
]

const good = cardDetails(goodCard)
const badDetails = (field: string, values: unknown[]): Bad[] =>
  values.map((value) => [{ cardDetails: { ...good, [field]: value } }, field])

const badCard: Bad[] = [
  ...badCommon,
  ...badEmails,
  ...['firstName', 'lastName'].flatMap((name) =>
    [absent, 5, '', long(101)].map((value): Bad => [{ [name]: value }, name]),
  ),
  [{ cardDetails: absent }, 'cardDetails'],
  [{ cardDetails: goodCard }, 'cardDetails'],
  ...badDetails('number', [absent, 4242424242424242, '4242424242424241', '4242', long(16)]),
  ...badDetails('number', ['42424242424242', '4242 4242 4242 4243', `${goodCard}0`, long(31)]),
  ...badDetails('cvv', [absent, 737, '73', '7371', 'abc']),
  ...badDetails('expMonth', [absent, 12, '13', '00', '1', 'xx']),
  ...badDetails('expYear', [absent, 2031, '2', '203', '2020', '20', 'xx']),
  [{ cardDetails: { ...good, number: '378282246310005', cvv: '123' } }, 'cvv'],
  [{ currency: 'USD' }, 'device3DSInfo'],
  [{ device3DSInfo: 'browser' }, 'device3DSInfo'],
  [{ device3DSInfo: { colorDepth: 'deep' } }, 'colorDepth'],
  [{ device3DSInfo: { userAgent: long(501) } }, 'userAgent'],
  [{ address: 'Moi Avenue' }, 'address'],
  [{ address: { zip: 5 } }, 'zip'],
  [{ address: { street1: long(201) } }, 'street1'],
  [{ ipAddress: 5 }, 'ipAddress'],
  [{ ipAddress: long(65) }, 'ipAddress'],
  ...badUrls('redirectUrl'),
]

const badBankTransfer: Bad[] = [
  ...badCommon,
  ...badEmails,
  ...['UGX', 'USD', 'XOF'].map((currency): Bad => [{ currency }, 'rail', 'PROVIDER_NOT_FOUND']),
]

const kinds = [
  { name: 'momo', base: momoBody, bad: badMomo },
  { name: 'card', base: cardBody, bad: badCard },
  { name: 'bank-transfer', base: bankTransferBody, bad: badBankTransfer },
]

for (const { name, base, bad } of kinds) {
  test(`bad input of a ${name} charge is refused by its field, and nothing is written`, async () => {
    const till = await openTill(world)
    const before = await recordsHash()
    for (const [change, named, code = 'VALIDATION_ERROR'] of bad) {
      const sent = { ...base(), ...change }
      const { status, body, text } = await till.call('POST', `/fiat/deposit/${name}`, sent)
      const about = `${JSON.stringify(change).slice(0, 200)}: ${text}`
      assert.equal(body.errorCode, code, about)
      assert.equal(status, statusOf[code], about)
      assert.equal(body.success, false)
      if (code !== 'VALIDATION_ERROR') continue
      assert.match(String(body.message), /^Validation error: /, about)
      assert.ok(String(body.message).includes(named), about)
    }
    assert.equal(await recordsHash(), before)
  })
}

test('a payer that is stored must be for deposits and in the currency of the charge', async () => {
  const till = await openTill(world)
  const person = { firstName: 'Achieng', lastName: 'Otieno', phoneNumber: '+254700000000' }
  const make = async (type: string) => {
    const fields = { country: 'KE', currency: 'KES', type }
    const payload = { ...person, destination: 'MoMo' }
    const { body } = await till.call('POST', '/external-accounts', { ...fields, payload })
    return (body.data as { id: string }).id
  }
  const forPayouts = await make('payout')
  const forDeposits = await make('deposit')
  const before = await recordsHash()
  const refused = [
    await till.momo({ phoneNumber: absent, externalAccountId: forPayouts }),
    await till.momo({ phoneNumber: absent, externalAccountId: forDeposits, currency: 'UGX' }),
    await (await openTill(world)).momo({ phoneNumber: absent, externalAccountId: forDeposits }),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.errorCode]),
    [
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [404, 'E-BEN.S-90'],
    ],
  )
  const changed = (await recordsHash()).split('\n').filter((line) => !before.includes(line))
  // The other shop's wallets are new; no charge is.
  assert.deepEqual(
    changed.map((line) => line.split(' ')[0]).filter((name) => name === 'transactions'),
    [],
  )
})

test('bad input of an authorisation names the field', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000004' }))
  await world.work()
  const bad: [object, string][] = [
    ...[absent, 5, '', 'sms', 'redirect', long(21)].map((type): [object, string] => [
      { type },
      'type',
    ]),
    ...[absent, 5, '', long(2001)].map((value): [object, string] => [{ value }, 'value']),
  ]
  for (const [change, named] of bad) {
    const body = { type: 'otp', value: '123456', ...change }
    const answer = await till.call('POST', `/fiat/deposit/${id}/authorise`, body)
    assert.equal(answer.status, 400, answer.text)
    assert.ok(String(answer.body.message).includes(named), answer.text)
  }
  const [charge] = await world.db`select wrong_values, state from transactions where id = ${id}`
  assert.deepEqual(charge, { wrong_values: 0, state: 'awaiting' })
})

test('a simulated transfer wants an account of the caller and a right amount', async () => {
  const till = await openTill(world)
  const { body } = await till.bankTransfer()
  const { virtualAccount } = body.data as { virtualAccount: { accountNumber: string } }
  const { accountNumber } = virtualAccount
  const path = '/utilities/simulate-bank-transfer'
  const other = await openTill(world)
  const answers = [
    await till.call('POST', path, { accountNumber: '0000000000', amount: 1 }),
    await other.call('POST', path, { accountNumber, amount: 20_000 }),
    await till.call('POST', path, { accountNumber, amount: 0 }),
    await till.call('POST', path, { accountNumber, amount: 1.005 }),
    await till.call('POST', path, { accountNumber, amount: '20000' }),
    await till.call('POST', path, { amount: 1 }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 400, 400, 400, 400],
  )
  const [row] = await world.db`select count(*)::int as count from rail_callbacks`
  assert.equal(row?.count, 0)
})
