import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runCommand, type Settings } from '../../test/command-line.ts'
import { type TestDatabase, testDatabase } from '../../test/harness.ts'
import { asAdministrator, masterKeys, sealAll, sealedBooks } from '../../test/seals.ts'

describe('malipo ledger verify', () => {
  let database: TestDatabase
  let settings: Settings
  let head = ''
  const verify = (...args: string[]) => runCommand(settings, ['ledger', 'verify', ...args])

  before(async () => {
    database = await testDatabase()
    const { sealer } = await sealedBooks(database.sql, { transfers: 4 })
    await database.sql`
      insert into audit_log (id, actor, action, subject)
      values (gen_random_uuid(), 'cli:test', 'test', 'x')`
    await sealAll(database.sql, sealer)
    settings = {
      DATABASE_URL: database.url,
      MALIPO_MASTER_KEY: masterKeys[0]!.toString('base64'),
    }
  })
  after(() => database.drop())

  test('a whole chain is said to be whole, and its head is printed to be kept', async () => {
    const { code, out, err } = await verify()
    assert.equal(code, 0, err)
    const lines = out.split('\n')
    assert.deepEqual(lines.slice(0, 2), [
      'The ledger: 4 transfers under 4 seals, 0 not sealed yet.',
      'Nothing was changed, removed or put in.',
    ])
    assert.match(lines[2]!, /^Head, to be kept elsewhere: 4:[0-9a-f]{64}$/)
    assert.equal(lines[4], 'The audit log: 1 record under 1 seal, 0 not sealed yet.')
    head = /elsewhere: (4:\S+)/.exec(out)![1]!
    const [text, json] = await Promise.all([verify('--head', head), verify('--json')])
    assert.equal(text.code, 0)
    const { isRight, books } = JSON.parse(json.out)
    assert.deepEqual(
      [isRight, books[0].head, books[0].problems, books[1].verified],
      [true, head, [], 1],
    )
  })

  test('a head that is none, or a key that is another, is refused', async () => {
    const wrong = await verify('--head', '4:xyz')
    assert.deepEqual([wrong.code, wrong.out], [1, ''])
    assert.match(wrong.err, /^--head must be a head as this command prints it/)
    const otherKey = Buffer.alloc(32, 6).toString('base64')
    const other = await runCommand({ ...settings, MALIPO_MASTER_KEY: otherKey }, [
      ...['ledger', 'verify'],
    ])
    assert.equal(other.code, 1)
    assert.match(other.err, /sealed with another master key/)
  })

  test('tampering is told by seal and row, with exit code 1', async () => {
    await asAdministrator(database.sql, 'update transfers set amount = 30 where amount = 3')
    const [text, json] = await Promise.all([verify(), verify('--json')])
    assert.equal(text.code, 1)
    assert.match(
      text.out,
      /\nIt was tampered with:\n- seal 3 covers 1 transfers, of which at least/,
    )
    assert.match(text.out, / was changed \(sealed \S+\)\n {4}transfer 7 \S+ step may be the one\n/)
    const { isRight, books } = JSON.parse(json.out)
    assert.deepEqual([json.code, isRight, books[0].problems[0].seal], [1, false, '3'])
    assert.match(text.out, /\nThe audit log: [^\n]+\nNothing was changed/)
  })

  test('a cut tail is found by the head that was kept', async () => {
    await asAdministrator(
      database.sql,
      'delete from ledger_seals where number = 4; delete from transfers where amount = 4',
    )
    const { code, out } = await verify('--head', head)
    assert.equal(code, 1)
    assert.match(out, /- seal 4 was kept as 4:[0-9a-f]{64}, and is not here any more\n/)
  })
})
