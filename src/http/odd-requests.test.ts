import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { keysOf, makeMerchant, startLoneNode, tokenFor } from '../../test/app-harness.ts'
import { signInAs } from '../../test/dashboard.ts'
import { headerOf, openConnection, type WireAnswer } from '../../test/fuzz/connection.ts'

/** What the fuzzer found: each request here once got an answer that was not ours, or a 500. */
const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)
const token = await tokenFor(node, keysOf(shop.sandbox))
const owner = await signInAs(node, shop, 'owner')
await node.server.listen({ port: 0, host: '127.0.0.1' })
const { port } = node.server.addresses()[0] as AddressInfo

async function sendRaw(text: string): Promise<WireAnswer & { json: Record<string, unknown> }> {
  const connection = openConnection(port)
  const answer = await connection.ask(Buffer.from(text), { ends: false, isHead: false })
  connection.close()
  if (typeof answer === 'string') throw new Error(answer)
  return { ...answer, json: JSON.parse(answer.body.toString('utf8')) }
}

const zeroIds = ['%00', 'a%00b', '01990a3c-5a00-7001-8a5b-3c2d1e0f0042%00']
const zeroPaths: [method: 'POST' | 'DELETE', path: (id: string) => string][] = [
  ['POST', (id) => `/sandbox/b2b/webhooks/${id}/resend`],
  ['DELETE', (id) => `/sandbox/b2b/external-accounts/${id}`],
  ['POST', (id) => `/sandbox/b2b/fiat/deposit/${id}/authorise`],
  ['DELETE', (id) => `/sandbox/keys/${id}`],
]

test('a zero character in an id is refused, not a fault', async () => {
  for (const [method, path] of zeroPaths) {
    for (const id of zeroIds) {
      const body = path(id).endsWith('authorise') ? { type: 'otp', value: '1' } : undefined
      const { status, text } = await owner.call(method, path(id), body)
      assert.ok(status === 400 || status === 404, `${method} ${path(id)}: ${status} ${text}`)
    }
  }
})

test('a request without a host gets the envelope', async () => {
  const authorization = `authorization: Bearer ${token}`
  const answer = await sendRaw(`GET /api/b2b/users HTTP/1.1\r\n${authorization}\r\n\r\n`)
  assert.equal(answer.status, 400)
  assert.equal(answer.json.errorCode, 'VALIDATION_ERROR')
  assert.ok(headerOf(answer, 'x-request-id'))
  const old = await sendRaw(`GET /api/b2b/users HTTP/1.0\r\n${authorization}\r\n\r\n`)
  assert.equal(old.status, 200, 'HTTP/1.0 knows no hosts')
})

test('an expectation that nobody knows is passed over', async () => {
  const answer = await sendRaw('GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\n\r\n')
  assert.equal(answer.status, 200)
  assert.ok(headerOf(answer, 'x-request-id'))
})

test('an address that is no URL is refused with the security headers', async () => {
  const url = '/api/b2b/transactions/%ed%a0%80'
  const { status, headers, body } = await node.send({ method: 'GET', url })
  assert.deepEqual([status, body.errorCode], [400, 'VALIDATION_ERROR'])
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(headers['content-security-policy'] ?? '', /default-src 'self'/)
})

const halves = ['\\ud800', 'x\\udfff', '\\udc00\\ud800', '\\uD83D\\uD83D\\uDE00']

const bodies: [url: string, body: (text: string) => string][] = [
  [
    '/sandbox/b2b/fiat/deposit/momo',
    (text) =>
      `{"amount":10,"currency":"KES","phoneNumber":"+254700000000","externalReference":"${text}"}`,
  ],
  ['/sandbox/keys', (text) => `{"name":"${text}"}`],
  ['/people', (text) => `{"email":"${text}@shop.example","name":"N","role":"viewer"}`],
  ['/sandbox/keys', (text) => `{"name":"ok","ipAllowList":["${text}"]}`],
]

test('half a character in a body is refused, not a fault, wherever it stands', async () => {
  for (const [url, body] of bodies) {
    for (const half of halves) {
      const answer = await sendBody(url, body(half))
      assert.deepEqual([answer.status, answer.body.errorCode], [400, 'VALIDATION_ERROR'], half)
    }
  }
})

test('a zero in a body is refused, not a fault', async () => {
  for (const [url, body] of bodies) {
    const answer = await sendBody(url, body('a\\u0000b'))
    assert.deepEqual([answer.status, answer.body.errorCode], [400, 'VALIDATION_ERROR'], url)
  }
})

test('whole characters in escapes, and what only looks like half of one, are taken', async () => {
  for (const name of ['\\ud83d\\ude00', '\\\\ud800', '\\\\\\\\ud800', '\\u00e9', '\\"\\u0041']) {
    const { status, text, body } = await sendBody('/sandbox/keys', `{"name":"${name}"}`)
    assert.equal(status, 200, text)
    assert.equal((body.data as { name: string }).name, JSON.parse(`"${name}"`))
  }
})

test('a body that is deep and broken is refused as fast as any', async () => {
  const answer = await sendBody('/sandbox/keys', `${'['.repeat(400_000)}"\\ud800"`)
  assert.equal(answer.status, 400)
})

function sendBody(url: string, payload: string) {
  const { cookie, csrf } = owner
  const headers = { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' }
  return node.send({ method: 'POST', url: `/dashboard${url}`, headers, payload })
}
