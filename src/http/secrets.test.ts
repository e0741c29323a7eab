import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  exchangeRequest,
  getUser,
  keysOf,
  makeMerchant,
  putWebhooks,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import type { Db } from '../db/pool.ts'
import { createLogTo } from '../log.ts'
import { revokeCredential, rotateCredential } from '../merchants/credentials.ts'

/** Every row of every table, as text. */
async function dump(db: Db): Promise<string> {
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  assert.ok(tables.length > 5)
  const rows: string[] = []
  for (const { name } of tables) {
    const found = await db.unsafe(`select t::text as row from ${name} t`)
    rows.push(...found.map(({ row }) => String(row)))
  }
  return rows.join('\n')
}

/** The ways a secret could be written down. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const random = secret.replace(/^(sk_(sandbox|live)_|whsec_)/, '')
  return [
    secret,
    random,
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(random, 'base64').toString('hex'),
  ]
}

function assertAbsent(text: string, secrets: Record<string, string>): void {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of formsOf(secret)) {
      assert.ok(!text.includes(form), `${name} is there as ${form.slice(0, 12)}…`)
    }
  }
}

test('API keys, webhook secrets, signing keys and tokens are nowhere in clear: not in the database, not in the log', async (t) => {
  const lines: string[] = []
  const log = createLogTo({ write: (line) => void lines.push(line) }, 'trace')
  const node = await startLoneNode(t, { log })
  const { sandbox, live } = await makeMerchant(node.db)
  const sandboxToken = await tokenFor(node, keysOf(sandbox))
  const liveToken = await tokenFor(node, keysOf(live))
  const fresh = await rotateCredential(node.db, node.ids, 'test', sandbox.credential.id, 60)
  const freshKeys = { publicKey: fresh.credential.publicKey, apiKey: fresh.apiKey }
  const freshToken = await tokenFor(node, freshKeys)
  // Also refusals and faults must not tell: each of these is logged in its own way.
  const requests = [
    getUser(sandboxToken),
    getUser(liveToken, '/api/sandbox/b2b'),
    getUser(`${sandboxToken}x`),
    getUser(sandbox.apiKey),
    putWebhooks(sandboxToken, { webhookUrl: 'https://shop.example/' }),
    putWebhooks(liveToken, { webhookUrl: 'nonsense' }),
    exchangeRequest({ ...keysOf(sandbox), publicKey: 'wrong' }),
    { ...exchangeRequest(keysOf(sandbox)), payload: `{"publicKey":"${sandbox.apiKey}` },
    { ...exchangeRequest(keysOf(sandbox)), payload: `{"publicKey":"${sandbox.apiKey}"}` },
  ]
  for (const request of requests) await node.send(request)
  await revokeCredential(node.db, node.ids, 'test', fresh.credential.id)
  await node.send(getUser(freshToken))
  await node.send(exchangeRequest(freshKeys))
  const secrets = {
    'the sandbox key': sandbox.apiKey,
    'the live key': live.apiKey,
    'the rotated key': fresh.apiKey,
    'the sandbox webhook secret': sandbox.webhookSecret,
    'the live webhook secret': live.webhookSecret,
    'the sandbox token': sandboxToken,
    'the live token': liveToken,
    'the rotated token': freshToken,
    'the signature of a token': sandboxToken.split('.')[2]!,
  }
  await node.requestLog.close()
  const rows = await dump(node.db)
  assert.ok(rows.includes('/api/b2b/users/webhooks'), 'the log of requests is among it')
  assert.ok(rows.includes(sandbox.credential.publicKey), 'the dump is of this database')
  assertAbsent(rows, secrets)
  await node.db.end({ timeout: 1 })
  await node.send(getUser(sandboxToken))
  assert.ok(lines.length > requests.length)
  assertAbsent(lines.join(''), secrets)
})
