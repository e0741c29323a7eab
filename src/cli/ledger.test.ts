import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Ended, runCommand, type Settings, settingsFor } from '../../test/command-line.ts'
import { type TestDatabase, testDatabase } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { checkLedger } from '../ledger/check.ts'
import { ensureDemoMerchant } from '../merchants/demo.ts'
import { createSeal } from '../seal.ts'

describe('wallets and the ledger', () => {
  let database: TestDatabase
  let settings: Settings
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, args)
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const fund = (...args: string[]) => run('wallet', 'fund', '--merchant', 'demo', ...args)

  before(async () => {
    database = await testDatabase()
    settings = settingsFor(database.url)
    const seal = createSeal([randomBytes(32)])
    await ensureDemoMerchant(database.sql, createIds(systemClock), seal, undefined)
  })
  after(() => database.drop())

  test('funds come from the funding account, and the ledger stays right', async () => {
    const { code, out } = await fund('--currency', 'KES', '--amount', '1000.50')
    assert.equal(code, 0)
    assert.equal(
      out,
      'The sandbox wallet KES KE got KES 1,000.50 and now has KES 100,001,000.50.\n',
    )
    assert.deepEqual((await checkLedger(database.sql)).problems, [])
    const [row] = await database.sql`
      select detail ->> 'amount' as amount from audit_log where action = 'wallet.fund'`
    assert.equal(row?.amount, '1000.50')
  })

  test('live money, wrong amounts and unknown merchants are refused and move nothing', async () => {
    const [counted] = await database.sql`select count(*)::int as count from transfers`
    const refused = await Promise.all([
      fund('--currency', 'KES', '--amount', '1', '--environment', 'live'),
      fund('--currency', 'UGX', '--amount', '1.5'),
      fund('--currency', 'KES', '--amount', '1', '--merchant', 'x@y.example'),
    ])
    assert.deepEqual(
      refused.map(({ code, out, err }) => [code, out, err.trimEnd()]),
      [
        [1, '', 'Live money comes by rails only: wallet fund is for the sandbox.'],
        [1, '', 'The amount must be a whole number for UGX.'],
        [1, '', 'There is no merchant "x@y.example": malipo merchant list shows them all.'],
      ],
    )
    const [again] = await database.sql`select count(*)::int as count from transfers`
    assert.deepEqual(again, counted)
  })

  test('a wallet is opened once, and listed with exact amounts', async () => {
    const open = ['wallet', 'open', '--merchant', 'demo', '--environment', 'live']
    const first = await json(...open, '--currency', 'USD')
    const again = await json(...open, '--currency', 'usd', '--country', 'us')
    assert.deepEqual([first.isNew, again.isNew, again.id], [true, false, first.id])
    const list = ['wallet', 'list', '--merchant', 'demo', '--environment']
    const [live, sandbox] = await Promise.all([run(...list, 'live'), json(...list, 'sandbox')])
    assert.match(live.out, /^ID +COUNTRY +AVAILABLE +HELD\n\S+ {2}US +USD 0\.00 {2}USD 0\.00\n$/)
    const kes = sandbox.find((each: { currency: string }) => each.currency === 'KES')
    assert.deepEqual([kes.available, kes.held], ['100001000.50', '0'])
  })

  test('a statement lists the transfers of a wallet, of its held side, of the house', async () => {
    const [wallet] = await database.sql<{ id: string }[]>`
      select id from wallets where currency = 'KES' and environment = 'sandbox'`
    const statement = (...args: string[]) => run('ledger', 'statement', ...args)
    const [lines, csv, text, held, none] = await Promise.all([
      statement(wallet!.id, '--json'),
      statement('funding:KES', '--csv'),
      statement('funding:KES'),
      statement(`held:${wallet!.id}`),
      statement('rail:sandbox:KES', '--environment', 'live'),
    ])
    const parsed = lines.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      parsed.map(({ step, counterpart, change, balance }) => [step, counterpart, change, balance]),
      [
        ['sandbox funds', 'funding', '100000000', '100000000'],
        ['funds', 'funding', '1000.50', '100001000.50'],
      ],
    )
    const rows = csv.out.trimEnd().split('\n')
    assert.equal(rows[0], 'posted_at,transaction_id,step,counterpart,change,balance')
    assert.match(rows[2]!, /^\S+Z,[0-9a-f-]{36},funds,wallet,-1000\.50,-100001000\.50$/)
    assert.match(text.out, /\n\S+ {2}\S+ {2}funds +wallet +KES -1,000\.50 +KES -100,001,000\.50\n$/)
    for (const { code, out } of [held, none]) {
      assert.deepEqual([code, out], [0, 'There are no transfers on this account.\n'])
    }
  })

  test('an account that is none is refused with the shapes there are', async () => {
    const [word, wallet] = await Promise.all([
      run('ledger', 'statement', 'wallet:KES'),
      run('ledger', 'statement', '01a1dcdc-70a0-7039-b9ec-06bcdbb50000'),
    ])
    assert.equal(word.code, 1)
    assert.match(word.err, /^"wallet:KES" is not an account: give a wallet id, held:<wallet id>/)
    assert.match(wallet.err, /^There is no wallet 01a1dcdc-/)
  })

  test('the trial balance sums to zero, before and after a roll-up', async () => {
    const before = await json('ledger', 'balances')
    const kes = before.find((each: { currency: string }) => each.currency === 'KES')
    assert.deepEqual(kes, {
      environment: 'sandbox',
      currency: 'KES',
      accounts: [
        { account: 'wallet', balance: '100001000.50' },
        { account: 'held', balance: '0' },
        { account: 'funding', balance: '-100001000.50' },
      ],
      sum: '0',
    })
    const { until } = await json('ledger', 'rollup')
    assert.ok(Date.parse(until) < Date.now())
    const { out } = await run('ledger', 'balances')
    assert.match(out, /sandbox +funding +KES -100,001,000\.50\nsandbox +sum +KES 0\.00\n/)
    assert.match(out, /\n\nEvery currency sums to zero\.\n$/)
  })

  test('a check tells a right ledger from a wrong one, by words and by exit code', async () => {
    const right = await run('ledger', 'check')
    assert.equal(right.code, 0)
    assert.match(right.out, /^Checked \d+ transfers and \d+ wallets\.\nThe ledger is right\.\n$/)
    await database.sql`update wallets set available = available + 1
      where currency = 'KES' and environment = 'sandbox'`
    const [wrong, balances] = await Promise.all([run('ledger', 'check'), run('ledger', 'balances')])
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /\nThe ledger has 2 problems:\n- wallet \S+ says available 10000100051/)
    assert.equal(balances.code, 1)
    assert.match(balances.out, /\nThe sandbox balances sum to KES 0\.01, not to zero\.\n$/)
  })
})
