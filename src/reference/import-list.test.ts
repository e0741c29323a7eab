import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDatabase, testDatabase } from '../../test/harness.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/pool.ts'
import { exportList } from './export-list.ts'
import { importList } from './import-list.ts'
import type { ListName } from './lists.ts'
import { seedReference } from './seed.ts'

async function* piecesOf(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const bankHeader = 'country,code,name,swift_code\n'
const branchHeader = 'country,bank_code,branch_code,branch_name\n'

async function textOf(db: Db, list: ListName): Promise<string> {
  return `${(await Array.fromAsync(exportList(db, list))).join('\n')}\n`
}

async function countOf(db: Db, list: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from ${db.unsafe(list)}`
  return row!.count
}

test('a first start fills every list, a second changes nothing', async (t) => {
  const { sql: db } = await emptyDatabase(t)
  await migrate(db)
  await Promise.all([seedReference(db), seedReference(db)])
  assert.equal(await countOf(db, 'countries'), 23)
  assert.equal(await countOf(db, 'operators'), 54)
  const revisions = () => db`select name, revision from reference_lists order by name`
  const before = await revisions()
  assert.equal(before.length, 4)
  await seedReference(db)
  assert.deepEqual(await revisions(), before)
  const covered = await db<{ country: string }[]>`
    select country from banks group by country having count(*) >= 27`
  for (const country of ['KE', 'NG', 'GH', 'UG', 'TZ']) {
    assert.ok(
      covered.some((row) => row.country === country),
      country,
    )
  }
})

test('every bad line is told with its number and what is wrong, and nothing changes', async (t) => {
  const { sql: db } = await testDatabase(t)
  const before = await textOf(db, 'banks')
  const lines = [
    'KE,01,Good Bank,KCBLKENX',
    'XX,02,Far Bank,',
    'KE,,No Code,',
    'KE,03,Bad Bic,KCB',
    'KE,04',
    'KE,05,"Open quote,',
    '',
    'ke,01,Twice,',
    'KE,06,,',
  ]
  const report = await importList(db, 'banks', piecesOf(bankHeader + lines.join('\n')))
  assert.deepEqual(report.badLines, [
    { line: 3, problem: 'country XX is not supported' },
    { line: 4, problem: 'code is empty' },
    { line: 5, problem: 'swift_code must be a BIC of 8 or 11 characters, or empty' },
    { line: 6, problem: 'must have 4 cells and has 2' },
    { line: 7, problem: 'has a quote that does not end, or text beside one' },
    { line: 9, problem: 'is the same bank as line 2' },
    { line: 10, problem: 'name is empty' },
  ])
  assert.deepEqual([report.isDone, report.badCount, report.lines], [false, 7, 8])
  assert.equal(await textOf(db, 'banks'), before)
})

test('a file that is no list at all is refused with a sentence', async (t) => {
  const { sql: db } = await testDatabase(t)
  const refused = (text: string | Uint8Array, words: RegExp) =>
    assert.rejects(
      importList(db, 'banks', typeof text === 'string' ? piecesOf(text) : one(text)),
      words,
    )
  async function* one(bytes: Uint8Array) {
    yield bytes
  }
  await refused('', /has no line besides its header/)
  await refused(bankHeader, /has no line besides its header/)
  await refused('country,name\nKE,A\n', /^FileProblem: Line 1: column code is missing\.$/)
  await refused('country,code,name,colour\n', /column "colour" is not one of id, country/)
  await refused(new Uint8Array([0x63, 0xff, 0xfe]), /not text in UTF-8/)
  await refused('x'.repeat(20_000), /a line of more than 10000 characters/)
})

test('ids stay what they were, through an import and an export', async (t) => {
  const { sql: db } = await testDatabase(t)
  const idOf = async (code: string) => {
    const [row] = await db`select id from banks where country = 'KE' and code = ${code}`
    return row?.id
  }
  const known = await idOf('68')
  const file = `${bankHeader}KE,68,Equity,EQBLKENA\nKE,68b,"Mine, and yours",\n`
  const first = await importList(db, 'banks', piecesOf(file))
  assert.deepEqual([first.added, first.changed, first.isDone], [1, 1, true])
  assert.equal(await idOf('68'), known)
  const made = await idOf('68b')
  assert.ok(Number(made) >= 100_000)
  const again = await importList(db, 'banks', piecesOf(await textOf(db, 'banks'), 7))
  assert.deepEqual([again.added, again.changed, again.removed], [0, 0, 0])
  assert.equal(await idOf('68b'), made)
  const wrong = `id,country,code,name\n${made},KE,68,Equity\n5,KE,68b,Mine\n`
  const { badLines } = await importList(db, 'banks', piecesOf(wrong))
  assert.deepEqual(
    badLines.map(({ line, problem }) => `${line} ${problem}`),
    [
      `2 id must be ${known}, which this bank has already, or empty`,
      '2 id belongs to another bank already',
      `3 id must be ${made}, which this bank has already, or empty`,
    ],
  )
})

test('branches need their bank, and go with it', async (t) => {
  const { sql: db } = await testDatabase(t)
  const lost = await importList(db, 'branches', piecesOf(`${branchHeader}KE,9999,1,Nowhere\n`))
  assert.deepEqual(lost.badLines, [{ line: 2, problem: 'there is no bank 9999 in KE' }])
  const file = `${branchHeader}KE,68,68001,Main\nKE,01,01001,Main\n`
  assert.equal((await importList(db, 'branches', piecesOf(file))).isDone, true)
  assert.equal(await countOf(db, 'branches'), 2)
  await importList(db, 'banks', piecesOf(`${bankHeader}KE,68,Equity,\n`))
  assert.equal(await countOf(db, 'branches'), 1)
})

test('a dry run tells what would happen and changes nothing', async (t) => {
  const { sql: db } = await testDatabase(t)
  const before = await textOf(db, 'operators')
  const file = 'country,id,name,wallet,currency,prefixes\nKE,mpesa,Safaricom,M-PESA,KES,25470\n'
  const report = await importList(db, 'operators', piecesOf(file), { dryRun: true })
  assert.deepEqual(
    [report.isDone, report.badCount, report.added, report.changed, report.removed],
    [false, 0, 0, 1, 53],
  )
  assert.equal(await textOf(db, 'operators'), before)
})

test('a list that an operator has replaced is not replaced by a newer release', async (t) => {
  const { sql: db } = await testDatabase(t)
  const shipped = piecesOf(`${bankHeader}KE,1,Shipped,\n`)
  await importList(db, 'banks', piecesOf(`${bankHeader}KE,68,Mine,\n`))
  const report = await importList(db, 'banks', shipped, { shippedVersion: 99 })
  assert.equal(report.isDone, false)
  assert.match(await textOf(db, 'banks'), /,KE,68,Mine,\n$/)
})

test('a hundred thousand lines take seconds and little memory; with errors nothing changes', async (t) => {
  const { sql: db } = await testDatabase(t)
  const count = 100_000
  async function* file(bad: boolean) {
    let text = branchHeader
    for (let at = 0; at < count; at++) {
      const isBad = bad && at % 1000 === 0
      text += `KE,${isBad ? 'none' : '68'},B${at},Branch number ${at} of Nairobi\n`
      if (text.length < 60_000) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
  const before = await countOf(db, 'branches')
  const startMs = Date.now()
  const memory = process.memoryUsage().rss
  const refused = await importList(db, 'branches', file(true))
  assert.equal(refused.badCount, 100)
  assert.deepEqual(refused.badLines[1], { line: 1002, problem: 'there is no bank none in KE' })
  assert.equal(await countOf(db, 'branches'), before)
  const done = await importList(db, 'branches', file(false))
  assert.equal(done.added, count)
  assert.equal(await countOf(db, 'branches'), count)
  assert.ok(Date.now() - startMs < 30_000, `took ${Date.now() - startMs} ms`)
  const grown = process.memoryUsage().rss - memory
  assert.ok(grown < 150 * 1024 * 1024, `grew by ${grown} bytes`)
})
