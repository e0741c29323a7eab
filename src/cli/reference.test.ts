import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Ended, runCommand, type Settings, settingsFor } from '../../test/command-line.ts'
import { type TestDatabase, tempFolder, testDatabase } from '../../test/harness.ts'

describe('reference data and rates', () => {
  let database: TestDatabase
  let settings: Settings
  let folder: string
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, args)
  const file = async (text: string): Promise<string> => {
    const path = join(folder, 'list.csv')
    await writeFile(path, text)
    return path
  }

  before(async () => {
    database = await testDatabase()
    settings = settingsFor(database.url)
    folder = await tempFolder()
  })
  after(() => database.drop())

  test('a file with mistakes is refused, and each of them is told', async () => {
    const path = await file('country,code,name\nKE,1,One\nKE,,Two\nXX,3,Three\n')
    const { code, out } = await run('reference', 'import', 'banks', path)
    assert.equal(code, 1)
    assert.equal(
      out,
      'Nothing was changed: 2 problems in 3 lines.\n' +
        'line 3: code is empty\nline 4: country XX is not supported\n',
    )
    const missing = await run('reference', 'import', 'banks', join(folder, 'none.csv'))
    assert.equal(missing.code, 1)
    assert.match(missing.err, /none\.csv cannot be read \(ENOENT\)\.$/m)
    assert.equal((await run('reference', 'import', 'countries', path)).code, 2)
  })

  test('what is exported can be imported, first as a dry run, and is put on record', async () => {
    const exported = await run('reference', 'export', 'branches')
    assert.match(exported.out, /^id,country,bank_code,branch_code,branch_name,swift_code,bic\n/)
    const path = await file(`${exported.out},KE,68,68999,"Mine, new",,\n`)
    const dry = await run('reference', 'import', 'branches', path, '--dry-run')
    assert.match(dry.out, /^The file is right: \d+ lines of branches \(1 added, 0 changed, 0 rem/)
    const done = await run('reference', 'import', 'branches', path, '--json')
    const { isDone, added } = JSON.parse(done.out)
    assert.deepEqual([isDone, added], [true, 1])
    const [row] = await database.sql`
      select count(*)::int as count, max(detail ->> 'added') as added from audit_log
      where action = 'reference.import' and subject = 'branches'`
    assert.deepEqual(row, { count: 1, added: '1' })
    const { out } = await run('reference', 'list')
    assert.match(out, /\nbanks +362 {2}shipped .*\nbranches +634 {2}imported /)
  })

  test('a rate is set by hand, but a leap only when it is confirmed', async () => {
    const set = (...args: string[]) => run('rates', 'set', 'usd/kes', ...args)
    const done = await set('--buy', '130', '--sell', '131.5')
    assert.equal(done.out, 'The rate USD/KES is set: buy 130, sell 131.5.\n')
    const leap = await set('--buy', '1300', '--sell', '1315')
    assert.equal(leap.code, 1)
    assert.match(leap.err, /^That is more than 20 % from the rate before \(buy 130, sell 131\.5\)/)
    const wrong = await set('--buy', '131', '--sell', '130')
    assert.match(wrong.err, /must not sell below the price it buys at/)
    assert.equal((await set('--buy', '1300', '--sell', '1315', '--confirm')).code, 0)
    assert.match((await run('rates', 'set', 'KES', '--buy', '1', '--sell', '1')).err, /not a pair/)
    const { out } = await run('rates', 'list')
    assert.match(out, /\nUSD\/KES +1300 +1315 {2}operator {2}\S+Z {2}fresh\n/)
    assert.match(out, /\nUSD\/UGX +\d+\.?\d* +\d+\.?\d* {2}file {6}\S+Z {2}fresh\n/)
  })

  test('a held rate is listed, and used once it is confirmed', async () => {
    await database.sql`
      insert into held_rates (base, quote, at, buy, sell, source)
      values ('USD', 'UGX', now(), 36000, 37000, 'feed')`
    assert.match((await run('rates', 'list')).out, /\nUSD\/UGX +36000 +37000 {2}feed .* {2}held\n/)
    const other = await run('rates', 'confirm', 'USD/KES')
    assert.deepEqual([other.code, other.out], [1, 'No such rate is held.\n'])
    const { out } = await run('rates', 'confirm')
    assert.equal(out, '1 rate will be used from now on.\nUSD/UGX: buy 36000, sell 37000\n')
    assert.match((await run('rates', 'list')).out, /\nUSD\/UGX +36000 +37000 {2}feed .* fresh\n/)
  })
})
