import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import {
  type Answer,
  exchangeRequest,
  getUser,
  keysOf,
  makeMerchant,
  type Request,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { slotOf } from '../ids.ts'

const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)
const token = await tokenFor(node, keysOf(shop.sandbox))
await node.server.listen({ port: 0, host: '127.0.0.1' })
const { port } = node.server.addresses()[0] as AddressInfo

function assertEnvelope(answer: Answer, status: number, errorCode: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['success', 'message', 'errorCode'])
  assert.equal(answer.body.success, false)
  assert.equal(answer.body.errorCode, errorCode)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.notEqual(slotOf(answer.headers['x-request-id'] ?? ''), undefined, 'has a request id')
}

/** Sends bytes as they are and reads the answer to its end. */
async function sendRaw(text: string): Promise<Answer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  await once(socket, 'close')
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  return { status: Number(first.split(' ')[1]), headers, text: body, body: JSON.parse(body) }
}

test('a path that does not exist gets 404 with the envelope', async () => {
  const paths = [
    '/nowhere',
    '/api',
    '/api/b2b',
    '/api/b2b/nowhere',
    '/api/b2b/users/',
    '/api/b2b//users',
    '/api/b2b/Users',
    '/api/sandbox/users',
    '/api/b2b/nothing.js',
  ]
  for (const url of paths) {
    const answer = await node.send({ method: 'GET', url })
    assert.equal(answer.status, 404, url)
    assertEnvelope(answer, 404, 'ROUTE_NOT_FOUND')
  }
  assertEnvelope(await node.send({ method: 'POST', url: '/' }), 404, 'ROUTE_NOT_FOUND')
})

test('no path leads out of the folder of the pages', async () => {
  for (const path of [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/docs/..%2f../package.json',
  ]) {
    const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assertEnvelope(answer, 404, 'ROUTE_NOT_FOUND')
  }
})

test('another method on a known path gets 405 and is told which the path takes', async () => {
  const wrong: [Request['method'], string, string][] = [
    ['POST', '/api/b2b/users', 'GET, HEAD'],
    ['DELETE', '/api/sandbox/b2b/users', 'GET, HEAD'],
    ['PATCH', '/api/b2b/users', 'GET, HEAD'],
    ['GET', '/api/b2b/auth/generate-bearer-token', 'POST'],
    ['HEAD', '/api/b2b/auth/generate-bearer-token', 'POST'],
    ['POST', '/api/b2b/users/webhooks', 'PUT'],
  ]
  for (const [method, url, allow] of wrong) {
    const answer = await node.send({ method, url })
    assert.equal(answer.headers.allow, allow)
    if (method === 'HEAD') assert.equal(answer.status, 405)
    else assertEnvelope(answer, 405, 'METHOD_NOT_ALLOWED')
  }
})

test('an address that cannot be decoded gets 400 with the envelope', async () => {
  for (const path of ['/%', '/api/b2b/%zz', '/%c0%ae']) {
    const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assertEnvelope(answer, 400, 'VALIDATION_ERROR')
  }
})

test('what is not HTTP gets 400 with the envelope, and the connection ends', async () => {
  for (const text of ['hello\r\n\r\n', 'GET / HTTP/1.1\r\nbad header\r\n\r\n']) {
    const answer = await sendRaw(text)
    assertEnvelope(answer, 400, 'VALIDATION_ERROR')
    assert.equal(answer.headers.connection, 'close')
  }
})

test('headers over 16 KiB get 431 with the envelope', async () => {
  const headers = `host: x\r\nx-long: ${'x'.repeat(17_000)}\r\n`
  const answer = await sendRaw(`GET /api/b2b/users HTTP/1.1\r\n${headers}\r\n`)
  assertEnvelope(answer, 431, 'HEADERS_TOO_LARGE')
})

test('a request id is taken from the caller when it is well-formed, else made', async () => {
  for (const given of ['order-7', 'a.b:c_d', 'x'.repeat(64)]) {
    const request = getUser(token)
    const headers = { ...request.headers, 'x-request-id': given }
    assert.equal((await node.send({ ...request, headers })).headers['x-request-id'], given)
    const lost = { method: 'GET', url: '/nowhere', headers: { 'x-request-id': given } } as const
    assert.equal((await node.send(lost)).headers['x-request-id'], given)
  }
  for (const given of ['', 'a b', 'x'.repeat(65), '<script>', 'a,b']) {
    const headers = { 'x-request-id': given }
    const answer = await node.send({ method: 'GET', url: '/healthz', headers })
    assert.notEqual(slotOf(answer.headers['x-request-id'] ?? ''), undefined)
  }
})

test('every answer has the security headers, and none lets other sites call the API', async () => {
  const requests: Request[] = [
    getUser(token),
    exchangeRequest(keysOf(shop.sandbox)),
    { method: 'GET', url: '/nowhere' },
    { method: 'GET', url: '/api/b2b/users' },
    { method: 'GET', url: '/' },
    { method: 'GET', url: '/healthz' },
  ]
  for (const request of requests) {
    const headers = { ...request.headers, origin: 'https://evil.example' }
    const answer = await node.send({ ...request, headers })
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', request.url)
    assert.equal(answer.headers['x-frame-options'], 'DENY')
    assert.match(answer.headers['content-security-policy'] ?? '', /default-src 'self'/)
    assert.match(answer.headers['strict-transport-security'] ?? '', /max-age=\d{7,}/)
    assert.equal(answer.headers['x-powered-by'], undefined)
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  }
  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
  const asked = await node.send({ method: 'OPTIONS', url: '/api/b2b/users', headers: preflight })
  assert.equal(asked.status, 404)
  assert.equal(asked.headers['access-control-allow-origin'], undefined)
})

test('origins that are configured, and only those, may call every operation from a browser', async (t) => {
  const settings = { MALIPO_CORS_ORIGINS: 'https://shop.example, https://till.example' }
  const open = await startLoneNode(t, { settings })
  const ask = (origin: string, method: string) =>
    open.send({
      method: 'OPTIONS',
      url: '/api/b2b/users/webhooks',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  for (const origin of ['https://shop.example', 'https://till.example']) {
    const { status, headers } = await ask(origin, 'PUT')
    assert.equal(status, 204)
    assert.equal(headers['access-control-allow-origin'], origin)
    assert.match(headers['access-control-allow-methods'] ?? '', /\bPUT\b.*\bDELETE\b/)
    assert.match(headers['access-control-allow-headers'] ?? '', /authorization/)
    const refused = await open.send({ method: 'GET', url: '/api/b2b/users', headers: { origin } })
    assert.equal(refused.status, 401)
    assert.equal(refused.headers['access-control-allow-origin'], origin)
    assert.match(refused.headers['access-control-expose-headers'] ?? '', /x-request-id/)
  }
  const foreign = await ask('https://evil.example', 'PUT')
  assert.equal(foreign.headers['access-control-allow-origin'], undefined)
})

test('HEAD answers as GET does, without a body', async () => {
  const { status, text } = await node.send({ ...getUser(token), method: 'HEAD' })
  assert.equal(status, 200)
  assert.equal(text, '')
  assert.equal((await node.send({ method: 'HEAD', url: '/api/b2b/users' })).status, 401)
})

test('the first page, the description and the reference are served, from here alone', async () => {
  const read = async (url: string) => await node.send({ method: 'GET', url })
  for (const url of ['/', '/docs/']) {
    const page = await read(url)
    assert.equal(page.status, 200, url)
    assert.match(page.headers['content-type'] ?? '', /^text\/html/)
    assert.doesNotMatch(page.text, /(?:src|href)="(?:https?:)?\/\//, 'asks another host')
  }
  const description = await read('/openapi.json')
  assert.equal(description.status, 200)
  assert.equal(description.body.openapi, '3.1.0')
})

test('a worker answers for its health and nothing else', async (t) => {
  const worker = await startLoneNode(t, { operations: false })
  const read = (url: string) => worker.send({ method: 'GET', url })
  assert.deepEqual((await read('/healthz')).body, { status: 'alive' })
  assert.deepEqual((await read('/readyz')).body, { status: 'ready' })
  assert.match((await read('/metrics')).text, /^# HELP malipo_http_request_seconds/m)
  for (const url of ['/', '/docs/', '/openapi.json', '/api/b2b/users']) {
    assertEnvelope(await read(url), 404, 'ROUTE_NOT_FOUND')
  }
})
