import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  getUser,
  keysOf,
  makeMerchant,
  putWebhooks,
  startLoneNode,
  type TestNode,
  tokenFor,
} from '../../test/app-harness.ts'

const node = await startLoneNode({ after })
const sandboxPlay = await startLoneNode({ after }, { settings: { MALIPO_LOOPBACK_WEBHOOKS: 'on' } })

type Fields = { webhookUrl?: unknown; sandboxWebhookUrl?: unknown }

/** A merchant with a token of each environment. */
async function shop(on: TestNode = node) {
  const { sandbox, live } = await makeMerchant(on.db)
  const tokens = {
    sandbox: await tokenFor(on, keysOf(sandbox)),
    live: await tokenFor(on, keysOf(live)),
  }
  const read = async () => {
    const { webhookUrl, sandboxWebhookUrl } = (await on.send(getUser(tokens.live))).body
    return { webhookUrl, sandboxWebhookUrl }
  }
  const put = (environment: 'sandbox' | 'live', fields: unknown) =>
    on.send(putWebhooks(tokens[environment], fields))
  return { put, read, sandbox, live }
}

function assertInvalid(answer: Answer, message: RegExp, about: unknown): void {
  assert.equal(answer.status, 400, `${JSON.stringify(about)}: ${answer.text}`)
  assert.equal(answer.body.errorCode, 'VALIDATION_ERROR')
  assert.match(String(answer.body.message), message)
}

test('a field that is absent stays, and null or an empty text takes the URL away', async () => {
  const { put, read } = await shop()
  const both = { webhookUrl: 'https://shop.example/a', sandboxWebhookUrl: 'https://shop.example/b' }
  const { status, body } = await put('live', both)
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, message: 'Webhook URLs updated successfully.' })
  assert.deepEqual(await read(), both)
  await put('live', {})
  await put('live', { unknown: 'field' })
  assert.deepEqual(await read(), both)
  await put('live', { webhookUrl: null })
  assert.deepEqual(await read(), { ...both, webhookUrl: '' })
  await put('sandbox', { sandboxWebhookUrl: '' })
  assert.deepEqual(await read(), { webhookUrl: '', sandboxWebhookUrl: '' })
})

test('URLs that lead to no public https address are refused, live and in the sandbox', async () => {
  const { put, read } = await shop()
  const wrong: [string, RegExp][] = [
    ['http://shop.example/', /must begin with https:\/\//],
    ['ftp://shop.example/', /must begin with https:\/\//],
    ['javascript:alert(1)', /must begin with https:\/\//],
    ['shop.example/hook', /must be a URL/],
    ['https://', /must be a URL/],
    ['https://shop.example/a b', /must be a URL/],
    ['https://shop.example/\u0000', /must be a URL/],
    ['https://shop.example/\n', /must be a URL/],
    ['https://user:secret@shop.example/', /must not contain a user name or password/],
    ['https://user@shop.example/', /must not contain a user name or password/],
    ['https://localhost/', /must lead to a public address/],
    ['https://localhost./', /must lead to a public address/],
    ['https://api.localhost/', /must lead to a public address/],
    ['https://intranet/', /must lead to a public address/],
    ['https://127.0.0.1/', /must lead to a public address/],
    ['https://127.1/', /must lead to a public address/],
    ['https://2130706433/', /must lead to a public address/],
    ['https://0x7f.0.0.1/', /must lead to a public address/],
    ['https://10.0.0.7/', /must lead to a public address/],
    ['https://169.254.169.254/latest', /must lead to a public address/],
    ['https://192.168.1.1/', /must lead to a public address/],
    ['https://[::1]/', /must lead to a public address/],
    ['https://[::ffff:127.0.0.1]/', /must lead to a public address/],
    ['https://[::ffff:a9fe:a9fe]/', /must lead to a public address/],
    ['https://[fe80::1]/', /must lead to a public address/],
    ['https://[fd00::1]/', /must lead to a public address/],
  ]
  for (const [url, message] of wrong) {
    assertInvalid(await put('live', { webhookUrl: url }), message, url)
    assertInvalid(await put('sandbox', { sandboxWebhookUrl: url }), message, url)
  }
  assert.deepEqual(await read(), { webhookUrl: '', sandboxWebhookUrl: '' })
})

test('public https URLs are taken as they are given', async () => {
  const { put, read } = await shop()
  const right = [
    'https://shop.example',
    'https://shop.example:8443/hooks?from=malipo',
    'https://8.8.8.8/hooks',
    'https://[2a00:1450:4001::1]/hooks',
    'https://bücher.example/hooks',
    `https://shop.example/${'x'.repeat(2048 - 21)}`,
  ]
  for (const webhookUrl of right) {
    assert.equal((await put('live', { webhookUrl })).status, 200, webhookUrl)
    assert.equal((await read()).webhookUrl, webhookUrl)
  }
  const tooLong = `https://shop.example/${'x'.repeat(2048 - 20)}`
  assertInvalid(await put('live', { webhookUrl: tooLong }), /at most 2048 characters/, 'long')
})

test('only the sandbox may use loopback, and only where the configuration allows it', async () => {
  const { put, read } = await shop(sandboxPlay)
  const local = [
    'http://localhost:8080/hooks',
    'http://127.0.0.1:8080/hooks',
    'https://localhost/hooks',
    'http://[::1]:8080/',
    'http://[::ffff:127.0.0.1]/',
  ]
  for (const sandboxWebhookUrl of local) {
    assert.equal((await put('sandbox', { sandboxWebhookUrl })).status, 200, sandboxWebhookUrl)
    assert.equal((await read()).sandboxWebhookUrl, sandboxWebhookUrl)
    assert.equal((await put('live', { webhookUrl: sandboxWebhookUrl })).status, 400)
  }
  const stillWrong = [
    'http://10.0.0.7/',
    'http://shop.example/',
    'ftp://localhost/',
    'http://me:secret@localhost/',
  ]
  for (const sandboxWebhookUrl of stillWrong) {
    assert.equal((await put('sandbox', { sandboxWebhookUrl })).status, 400, sandboxWebhookUrl)
  }
})

test('a sandbox token cannot change where live events go, and nothing of its request is done', async () => {
  const { put, read } = await shop()
  const requests: Fields[] = [
    { webhookUrl: 'https://evil.example/' },
    { webhookUrl: null },
    { webhookUrl: 'https://evil.example/', sandboxWebhookUrl: 'https://evil.example/' },
  ]
  for (const fields of requests) {
    const { status, body } = await put('sandbox', fields)
    assert.equal(status, 403)
    assert.equal(body.errorCode, 'FORBIDDEN')
  }
  assert.deepEqual(await read(), { webhookUrl: '', sandboxWebhookUrl: '' })
})

test('one wrong URL of two changes neither', async () => {
  const { put, read } = await shop()
  const fields = { webhookUrl: 'https://shop.example/', sandboxWebhookUrl: 'http://shop.example/' }
  assertInvalid(await put('live', fields), /sandboxWebhookUrl must begin with https/, fields)
  assert.deepEqual(await read(), { webhookUrl: '', sandboxWebhookUrl: '' })
})

test('fields of the wrong type are refused by name', async () => {
  const { put } = await shop()
  for (const value of [7, true, {}, ['https://shop.example/']]) {
    const answer = await put('live', { webhookUrl: value })
    assertInvalid(answer, /^Validation error: webhookUrl must be a string/, value)
  }
})

test('a change is on record with who made it and what it was', async () => {
  const { put, sandbox } = await shop()
  await put('sandbox', { sandboxWebhookUrl: 'https://shop.example/hooks' })
  const rows = await node.db`
    select actor, action, detail from audit_log where subject = ${sandbox.account.id}`
  assert.deepEqual(
    [...rows],
    [
      {
        actor: `api:${sandbox.credential.id}`,
        action: 'webhook.url',
        detail: { url: 'https://shop.example/hooks' },
      },
    ],
  )
})
