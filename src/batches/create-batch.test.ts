import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileOf, header, longFile, makeActor, makeBatch, setLimits } from '../../test/batches.ts'
import { openWorld } from '../../test/payout-world.ts'
import { maxFileBytes, maxLines } from './batch.ts'
import { templateFile } from './files.ts'

const world = await openWorld({ after })
const actor = await makeActor(world)
const make = (csv: string) => makeBatch(world, actor, csv)
const wide = `${header},code,branchCode,businessNumber,walletCurrency,walletCountry`

async function errorsOf(cells: string): Promise<string[]> {
  const { errors } = await make(`${wide}\n${cells}\n`)
  return errors.map(({ line, column, message }) => `${line} ${column}: ${message}`)
}

test('a file becomes a draft with totals per currency, and moves no money', async () => {
  const before = await world.db`select * from wallets order by id`
  const { batch, errors } = await make(
    `${wide}
one,100.50,KES,KE,MoMo,Amina,+254700000000,,,,,
two,"1000",kes,KE,momo,"Otieno, Amina",0700000000,,,,,

three,5,NGN,NG,Bank Account,Ada,1234567890,${await bankOf('NG')},,,,
`,
  )
  assert.deepEqual(errors, [])
  assert.equal(batch.state, 'draft')
  assert.deepEqual([batch.lines, batch.valid, batch.invalid], [3, 3, 0])
  assert.deepEqual(batch.totals, [
    { currency: 'KES', count: 2, amount: 110_050n },
    { currency: 'NGN', count: 1, amount: 500n },
  ])
  assert.deepEqual(batch.createdBy, { id: actor.personId, name: actor.name })
  assert.deepEqual(await world.db`select * from wallets order by id`, before)
  assert.equal((await world.db`select from transactions`).length, 0)
})

async function bankOf(country: string): Promise<string> {
  const [bank] = world.node.reference.banks(country)
  return bank!.code
}

/** A line, and what is wrong with it. */
const cases: [cells: string, ...errors: string[]][] = [
  ['a,,KES,KE,MoMo,Amina,0700000000', '2 amount: amount is required.'],
  ['a,"1,000",KES,KE,MoMo,Amina,0700000000', '2 amount: amount must be a number.'],
  [
    'a,1.234,KES,KE,MoMo,Amina,0700000000',
    '2 amount: amount must have at most 2 decimals for KES.',
  ],
  ['a,-1,KES,KE,MoMo,Amina,0700000000', '2 amount: amount must not be negative.'],
  ['a,0,KES,KE,MoMo,Amina,0700000000', '2 amount: amount must be greater than zero.'],
  [
    'a,0.10000000000000000001,KES,KE,MoMo,Amina,0700000000',
    '2 amount: amount must have at most 2 decimals for KES.',
  ],
  ['a,1,XXX,KE,MoMo,Amina,0700000000', '2 currency: This currency is not supported.'],
  [
    'a,x,XXX,KE,MoMo,Amina,0700000000',
    '2 amount: amount must be a number.',
    '2 currency: This currency is not supported.',
  ],
  ['a,1,KESS,KE,MoMo,Amina,0700000000', '2 currency: currency must have at most 3 characters.'],
  [
    'a,1,KES,XX,MoMo,Amina,0700000000',
    '2 country: country must be the two-letter code of a supported country.',
  ],
  ['a,1,KES,,MoMo,Amina,0700000000', '2 country: country is required.'],
  [
    'a,1,KES,KE,Cash,Amina,0700000000',
    '2 destination: destination must be one of MoMo, Bank Account, Paybill, Till.',
  ],
  ['a,1,UGX,UG,Till,Amina,1234', '2 destination: Till is a destination in KE only.'],
  ['a,1,KES,KE,MoMo,,0700000000', '2 accountName: accountName is required.'],
  ['a,1,KES,KE,MoMo,Amina,123', '2 accountNumber: accountNumber must be a mobile number of KE.'],
  [
    'a,x,KES,KE,MoMo,Amina,123',
    '2 amount: amount must be a number.',
    '2 accountNumber: accountNumber must be a mobile number of KE.',
  ],
  [
    'a,1,UGX,UG,MoMo,Amina,+256772000000',
    '2 code: Name the mobile money operator: the number alone does not tell it.',
  ],
  [
    'a,1,KES,KE,Bank Account,Amina,1234567,nobank',
    '2 code: code must be the code of a bank of KE.',
  ],
  [
    'a,1,UGX,UG,Bank Account,Amina,1234567,x',
    '2 branchCode: Branch code is required for UG and TZ.',
  ],
  ['a,1,KES,KE,Paybill,Amina,ACC1', '2 businessNumber: businessNumber is required.'],
  [
    'a,1,KES,KE,MoMo,Amina,0700000000,,,,XXX',
    '2 walletCurrency: There are no wallets in that walletCurrency.',
  ],
  [
    'a,1,KES,KE,MoMo,Amina,0700000000,,,,XOF',
    '2 walletCountry: Wallets of that walletCurrency exist in several countries: ' +
      'say walletCountry.',
  ],
  [
    'a,0.01,KES,KE,MoMo,Amina,0700000000',
    '2 amount: The amount is outside the limits of this country, currency and destination.',
  ],
  [
    `${'r'.repeat(101)},1,KES,KE,MoMo,Amina,0700000000`,
    '2 reference: reference must have at most 100 characters.',
  ],
  [
    'a,1,KES,KE,MoMo,"Ami"na,0700000000',
    '2 null: A quote does not end, or there is text beside it.',
  ],
  ['a,1,KES,KE,MoMo,Amina,0700000000,,,,,,more', '2 null: It has 13 cells, and the header 12.'],
]

test('a line is refused with the reason of the API, in the words of the file', async () => {
  for (const [cells, ...expected] of cases) {
    assert.deepEqual(await errorsOf(cells), expected, cells)
  }
})

test('a reference is used once: in the file and among all transactions', async () => {
  const { externalReference } = await payOnce('taken-1')
  const { errors, batch } = await make(
    fileOf([
      ['fresh-1', '1', '000'],
      [externalReference, '1', '000'],
      ['fresh-1', '1', '000'],
      ['', '1', '000'],
      ['', '1', '000'],
    ]),
  )
  assert.deepEqual(errors, [
    { line: 3, column: 'reference', message: 'External reference already used.' },
    { line: 4, column: 'reference', message: 'Line 2 has the same reference.' },
  ])
  assert.deepEqual([batch.valid, batch.invalid], [3, 2])
})

async function payOnce(externalReference: string) {
  const payoutMethod = { accountName: 'Amina', accountNumber: '+254700000000' }
  const place = { currency: 'KES', country: 'KE', destination: 'MoMo' }
  await world.paid({ amount: 10, externalReference, payoutMethod, ...place })
  return { externalReference }
}

test('a file that cannot be understood is refused as a whole, with what to do', async () => {
  const refusals: [csv: string, message: RegExp][] = [
    ['', /no line besides its header/],
    [header, /no line besides its header/],
    [`${header}\n,,,,\n`, /no line besides its header/],
    ['reference;amount\na;1\n', /column "reference;amount", which is none of reference, amount/],
    ['amount,currency\n1,KES\n', /separated by commas. Missing: country, destination, account/],
    [`${header},refrence\n`, /column "refrence"/],
    [`${header},amount\n`, /column amount twice/],
    [`${header}\na,1,KES,KE,MoMo,A\u0000B,07\n`, /bytes of zero/],
    [longFile(maxLines + 1), /more than 10000 lines/],
    ['x'.repeat(maxFileBytes + 1), /at most 5 MB/],
  ]
  for (const [csv, message] of refusals) {
    await assert.rejects(make(csv), { code: 'VALIDATION_ERROR', message })
  }
  await assert.rejects(
    world.node.batches.create(ownerOf(), actor, { name: ' ', csv: longFile(1) }),
    { code: 'VALIDATION_ERROR' },
  )
})

const ownerOf = () => {
  const { id: accountId, slot, environment } = world.account
  return { accountId, slot, environment, feePlan: [] }
}

test('spreadsheets may write the header in their own way', async () => {
  const csv =
    '\ufeffAccount Name,account_number,AMOUNT,Currency,Country,Destination\r\n' +
    'Amina,0700000000,10,KES,KE,MoMo\r\n,,,,,\r\n'
  const { batch, errors } = await make(csv)
  assert.deepEqual(errors, [])
  assert.equal(batch.lines, 1)
})

test('the template is a file that could be paid as it is', async () => {
  const { batch, errors } = await make(templateFile())
  assert.deepEqual(errors, [])
  assert.equal(batch.valid, 3)
})

test('the same file twice is told of, unless the first was cancelled', async () => {
  const csv = longFile(2, 'same')
  const first = await make(csv)
  const second = await make(csv)
  assert.deepEqual(second.batch.sameFileAs, { id: first.batch.id, name: 'Salaries' })
  await world.node.batches.cancel(first.key, actor)
  const { sameFileAs } = await world.node.batches.read(second.key)
  assert.equal(sameFileAs, null)
})

test('no more than 1,000 errors are shown, and all lines are kept', async () => {
  const lines = Array.from({ length: 1200 }, () => 'x,x,KES,KE,MoMo,Amina,0700000000')
  const { batch, errors, key } = await make([header, ...lines].join('\n'))
  assert.equal(errors.length, 1000)
  assert.equal(batch.invalid, 1200)
  const [last] = await world.node.batches.lines(key, { after: 1200, limit: 1 })
  assert.equal(last!.errors.length, 2)
})

test('a draft says whether it needs a second person by the limits of now', async (t) => {
  t.after(() => setLimits(world, {}))
  const { key } = await make(fileOf([['limit-1', '500000', '000']]))
  const needs = async (limits: Record<string, string>) => {
    await setLimits(world, limits)
    return (await world.node.batches.read(key)).needsApproval
  }
  assert.equal(await needs({}), false)
  assert.equal(await needs({ KES: '500000' }), false)
  assert.equal(await needs({ KES: '499999.99' }), true)
  assert.equal(await needs({ KES: '0' }), true)
  assert.equal(await needs({ KES: 'nonsense' }), true)
  assert.equal(await needs({ NGN: '1' }), false)
})
