import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Ended, runCommand, type Settings, settingsFor } from '../../test/command-line.ts'
import { type TestDatabase, testDatabase } from '../../test/harness.ts'
import { hashSecret } from '../people/secrets.ts'

const newMerchant = ['--name', 'Duka Ltd', '--first-name', 'Asha', '--last-name', 'Otieno']

describe('people', () => {
  let database: TestDatabase
  let settings: Settings
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, args)
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const add = (email: string) =>
    ['person', 'add', '--merchant', 'asha@duka.example'].concat([
      ...['--email', email, '--name', 'Asha'],
    ])

  before(async () => {
    database = await testDatabase()
    settings = { ...settingsFor(database.url), MALIPO_PUBLIC_URL: 'https://pay.duka.example' }
    await json('merchant', 'create', ...newMerchant, '--email', 'asha@duka.example')
  })
  after(() => database.drop())

  test('a person is added as an owner with a link, which is stored as a hash', async () => {
    const { id, link, role } = await json(...add('asha@duka.example'))
    assert.equal(role, 'owner')
    const [, token = ''] = /^https:\/\/pay\.duka\.example\/join\/([\w-]{43})$/.exec(link) ?? []
    const [row] = await database.sql`
      select id from people where invitation_hash = ${hashSecret(token)}`
    assert.equal(row?.id, id)
    const again = await run(...add('ASHA@duka.example'))
    assert.deepEqual(
      [again.code, again.err.trimEnd()],
      [1, 'Somebody with this email has a login already.'],
    )
    const { link: other } = await json('person', 'reset', 'asha@duka.example')
    assert.notEqual(other, link)
  })

  test('the list shows who is invited, joined or disabled', async () => {
    const { id } = await json(...add('juma@duka.example'), '--role', 'viewer')
    await database.sql`update people set password_hash = 'x', last_seen_at = now() where id = ${id}`
    const listed = await run('person', 'list')
    assert.match(listed.out, /asha@duka\.example {2}Asha {2}Duka Ltd {2}owner {3}invited/)
    assert.match(listed.out, /juma@duka\.example {2}Asha {2}Duka Ltd {2}viewer {2}seen \d{4}-/)
    const disabled = await json('person', 'disable', 'juma@duka.example')
    assert.equal(disabled.disabled, true)
    const refused = await run('person', 'disable', 'asha@duka.example')
    assert.match(refused.err, /make another person owner first/)
    const people = await json('person', 'list', '--merchant', 'asha@duka.example')
    assert.deepEqual(
      people.map(({ disabled }: { disabled: boolean }) => disabled),
      [false, true],
    )
    assert.match((await run('person', 'reset', 'nobody@duka.example')).err, /There is no person/)
  })
})
