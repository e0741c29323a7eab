import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import {
  type Ended,
  endOf,
  runCommand,
  type Settings,
  settingsFor,
  startCommand,
} from '../../test/command-line.ts'
import { addEvents } from '../../test/events.ts'
import { type TestDatabase, testDatabase, waitFor } from '../../test/harness.ts'
import { startReceiver, verify } from '../../test/receivers.ts'
import { systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { accountById } from '../merchants/credentials.ts'

const ids = createIds(systemClock)
const duka = 'asha@duka.example'
const ofSandbox = ['--merchant', duka, '--environment', 'sandbox']

describe('webhooks', () => {
  let database: TestDatabase
  let settings: Settings
  let sandbox: { accountId: string; webhookSecret: string }
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, args)
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const addOne = async (count = 1) => {
    const account = await accountById(database.sql, sandbox.accountId)
    return await addEvents(database.sql, ids, account, { transactions: count })
  }

  before(async () => {
    database = await testDatabase()
    settings = { ...settingsFor(database.url), MALIPO_LOOPBACK_WEBHOOKS: 'on' }
    const person = ['--name', 'Duka', '--first-name', 'Asha', '--last-name', 'Otieno']
    sandbox = (await json('merchant', 'create', ...person, '--email', duka)).sandbox
    await run('merchant', 'set-webhook', duka, '--sandbox-url', 'http://localhost:9/hook')
  })
  after(() => database.drop())

  test('a paused endpoint is seen, and a resume sends what was missed since a time', async () => {
    const [first, second] = await addOne(2)
    const { sql } = database
    await sql`update webhooks set status = 'FAILED', due_at = null where id = ${first!.id}`
    await sql`update webhooks set due_at = null where id = ${second!.id}`
    await sql`update accounts set webhook_paused_at = now(), webhook_failing_since = now()
      where id = ${sandbox.accountId}`
    const { out } = await run('webhooks', 'status', ...ofSandbox)
    assert.match(out, /state {7}paused since \d{4}-.*: malipo webhooks resume ends it\n/)
    assert.match(out, /set aside {3}1\n/)
    assert.equal((await json('webhooks', 'resume', ...ofSandbox, '--since', '1h')).events, 2)
    const state = await json('webhooks', 'status', ...ofSandbox)
    assert.deepEqual([state.pausedAt, state.due, state.setAside], [null, 2, 0])
    const wrong = await run('webhooks', 'resume', ...ofSandbox, '--since', 'lately')
    assert.equal(wrong.code, 2)
  })

  test('records are listed and shown with their attempts, and sent again', async () => {
    const [event] = await addOne()
    const { id } = event!
    await database.sql`
      insert into webhook_attempts (slot, webhook_id, id, at, duration_ms, status, answer)
      select slot, id, id, now(), 12, '500', 'oh no' from webhooks where id = ${id}`
    const list = await run('webhooks', 'list', ...ofSandbox, '--status', 'CREATED', '--limit', '1')
    assert.match(list.out, new RegExp(`^ID +CREATED .*\\n${id} .* pending +order-`))
    const { out } = await run('webhooks', 'show', id)
    assert.match(out, /12 ms +500 +oh no/)
    await database.sql`update webhooks set status = 'SUCCESS', due_at = null where id = ${id}`
    assert.equal((await run('webhooks', 'resend', id)).out, `The webhook ${id} is sent again.\n`)
    assert.equal((await json('webhooks', 'show', id)).status, 'CREATED')
    const unknown = await run('webhooks', 'show', 'nothing')
    assert.deepEqual([unknown.code, unknown.err], [1, 'There is no webhook nothing.\n'])
  })

  test('a rotated secret is shown once, and the old one ends after the overlap', async () => {
    const { out } = await run('webhooks', 'rotate-secret', ...ofSandbox, '--overlap', '30m')
    assert.match(out, /secret {2}whsec_\S+\n\nThe old one signs too until .*\n\nKeep the secret/)
    const rows = await database.sql`
      select extract(epoch from expires_at - now()) as left from webhook_secrets
      where account_id = ${sandbox.accountId} order by created_at`
    assert.ok(Number(rows[0]!.left) > 1700 && rows[1]!.left === null)
  })

  test('listen shows events as they come and passes them on, signed', async (t) => {
    const receiver = await startReceiver(t)
    const { secret } = await json('webhooks', 'rotate-secret', ...ofSandbox)
    const child = startCommand(settings, [
      ...['listen', '--merchant', duka, '--forward', receiver.url],
    ])
    t.after(() => void child.kill('SIGKILL'))
    const [head] = await once(child.stdout, 'data')
    assert.match(String(head), /^Listening for sandbox events of asha@duka\.example, passing/)
    const lines: string[] = []
    child.stdout.on('data', (text) => void lines.push(String(text)))
    const events = await addOne(3)
    await waitFor(() => receiver.received.length === 3)
    await waitFor(() => lines.join('').split('\n').length > 3)
    assert.deepEqual(
      receiver.ids(),
      events.map(({ id }) => id),
    )
    for (const message of receiver.received) verify(secret, message)
    assert.match(lines.join(''), /transaction_created {2}pending {2}withdrew {2}order-\S+ {2}→ 200/)
    const ended = endOf(child)
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
  })
})
