import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Client, type ClientOptions, createClient, MalipoError } from './index.ts'

type Seen = {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
type Answer = { status?: number; body: unknown; headers?: Record<string, string> }
type Service = { client: Client; baseUrl: string; seen: Seen[]; exchanges: () => number }

const startMs = 1_800_000_000_000
const tokenPath = '/api/b2b/auth/generate-bearer-token'

/** A service of a few lines on loopback: it hands out t1, t2 … and answers as it is told. */
const startService = async (
  t: TestContext,
  answer: (seen: Seen) => Answer | undefined,
  options: Partial<ClientOptions> = {},
): Promise<Service> => {
  const seen: Seen[] = []
  const exchanges = () => seen.filter((each) => each.url === tokenPath).length
  const reply = (response: ServerResponse, { status = 200, body, headers = {} }: Answer) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body })
    const told = answer(seen.at(-1)!)
    if (told) return reply(response, told)
    if (url !== tokenPath) return
    const expiresAt = startMs / 1000 + 3600
    reply(response, { body: { success: true, token: `t${exchanges()}`, expiresAt } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { publicKey: 'pk_sandbox_1', apiKey: 'sk_sandbox_1' }
  const client = createClient({ baseUrl, ...keys, now: () => startMs, ...options })
  return { client, baseUrl, seen, exchanges }
}

const isToken = ({ url }: Seen) => url === tokenPath
const refusal = (promise: Promise<unknown>): Promise<MalipoError> =>
  promise.then(
    () => assert.fail('it should have been refused'),
    (error) => {
      assert.ok(error instanceof MalipoError, String(error))
      return error
    },
  )

test('the profile is read with a token that the keys were exchanged for', async (t) => {
  const profile = { success: true, firstName: 'Asha', KESWallet: { balance: 10.5 }, wallets: [] }
  const { client, seen } = await startService(t, (each) =>
    isToken(each) ? undefined : { body: profile },
  )
  const read = await client.profile()
  assert.deepEqual(read, profile)
  assert.equal(read.KESWallet?.balance, 10.5)
  const [exchange, request] = seen
  assert.equal(exchange?.method, 'POST')
  assert.equal(exchange?.headers['api-key'], 'sk_sandbox_1')
  assert.equal(exchange?.headers.authorization, undefined)
  assert.deepEqual(JSON.parse(exchange?.body ?? ''), { publicKey: 'pk_sandbox_1' })
  assert.equal(request?.url, '/api/b2b/users')
  assert.equal(request?.headers.authorization, 'Bearer t1')
  assert.equal(request?.headers['api-key'], undefined)
})

test('callers at the same time share one exchange, and later ones its token', async (t) => {
  const { client, exchanges } = await startService(t, (each) =>
    isToken(each) ? undefined : { body: { success: true } },
  )
  await Promise.all(Array.from({ length: 10 }, () => client.profile()))
  await client.profile()
  assert.equal(exchanges(), 1)
})

test('a token is replaced when no more than 60 seconds of its life are left', async (t) => {
  let nowMs = startMs
  const { client, exchanges } = await startService(
    t,
    (each) => (isToken(each) ? undefined : { body: { success: true } }),
    { now: () => nowMs },
  )
  await client.profile()
  nowMs = startMs + 3_539_999
  await client.profile()
  assert.equal(exchanges(), 1)
  nowMs = startMs + 3_540_000
  await client.profile()
  assert.equal(exchanges(), 2)
})

test('a refused token is replaced once for all callers, and each request repeated', async (t) => {
  const { client, exchanges, seen } = await startService(t, (each) => {
    if (isToken(each)) return undefined
    if (each.headers.authorization !== 'Bearer t1') return { body: { success: true } }
    return { status: 401, body: { success: false, message: 'no', errorCode: 'UNAUTHORIZED' } }
  })
  const post = () => client.request('POST', '/api/b2b/fiat/payout', { body: { amount: 5 } })
  await Promise.all([post(), post(), post()])
  assert.equal(exchanges(), 2)
  assert.equal(seen.at(-1)?.body, '{"amount":5}')
})

test('a second refusal is thrown, not repeated for ever', async (t) => {
  const { client, seen } = await startService(t, (each) =>
    isToken(each)
      ? undefined
      : { status: 401, body: { success: false, message: 'no', errorCode: 'UNAUTHORIZED' } },
  )
  assert.equal((await refusal(client.profile())).status, 401)
  assert.equal(seen.filter((each) => !isToken(each)).length, 2)
})

test('wrong keys are refused without a second try, and may be tried again later', async (t) => {
  const { client, exchanges } = await startService(t, () => ({
    status: 401,
    body: { success: false, message: 'Unknown keys.', errorCode: 'UNAUTHORIZED' },
  }))
  assert.equal((await refusal(client.profile())).message, 'Unknown keys.')
  assert.equal(exchanges(), 1)
  await refusal(client.profile())
  assert.equal(exchanges(), 2)
})

test('a request carries its query, body and idempotency key', async (t) => {
  const { client, seen } = await startService(t, (each) =>
    isToken(each) ? undefined : { body: { success: true, data: [] } },
  )
  await client.request('POST', '/api/b2b/things', {
    query: { currency: 'KES', limit: 3, status: undefined, name: 'a b&c' },
    body: { amount: 1 },
    idempotencyKey: 'order-1',
  })
  const sent = seen.at(-1)
  assert.equal(sent?.url, '/api/b2b/things?currency=KES&limit=3&name=a+b%26c')
  assert.equal(sent?.headers['idempotency-key'], 'order-1')
  assert.equal(sent?.headers['content-type'], 'application/json')
  assert.equal(sent?.body, '{"amount":1}')
  await client.request('GET', '/api/b2b/things')
  assert.equal(seen.at(-1)?.url, '/api/b2b/things')
  assert.equal(seen.at(-1)?.headers['content-type'], undefined)
  await assert.rejects(client.request('GET', 'api/b2b/things'), TypeError)
})

test('a failure of any shape becomes one kind of error', async (t) => {
  let told: Answer = { body: {} }
  const { client } = await startService(t, (each) => (isToken(each) ? undefined : told))
  const headers = { 'x-request-id': 'r-1' }
  const message = 'External reference already used.'
  const envelope = { success: false, message, errorCode: 'E-API-D.S-28' }
  const failures: [Answer, string, string][] = [
    [{ status: 409, body: envelope, headers }, 'E-API-D.S-28', message],
    [{ status: 200, body: envelope, headers }, 'E-API-D.S-28', message],
    [{ status: 400, body: {}, headers }, 'HTTP_400', 'Refused with status 400, without a reason.'],
    [{ status: 503, body: { success: false, error: 'Later.' }, headers }, 'HTTP_503', 'Later.'],
    [
      { status: 502, body: '<html>', headers },
      'HTTP_502',
      'Refused with status 502, without a reason.',
    ],
  ]
  for (const [answer, errorCode, words] of failures) {
    told = answer
    const error = await refusal(client.request('GET', '/api/b2b/transactions'))
    assert.deepEqual(
      [error.status, error.errorCode, error.message, error.requestId],
      [answer.status, errorCode, words, 'r-1'],
    )
  }
})

test('an empty object with status 200 is a success', async (t) => {
  const { client } = await startService(t, (each) => (isToken(each) ? undefined : { body: {} }))
  assert.deepEqual(await client.request('POST', '/api/sandbox/b2b/utilities/simulate-webhook'), {})
})

test('an answer that is not JSON, or no token, is said to be none of ours', async (t) => {
  const page = await startService(t, (each) => (isToken(each) ? undefined : { body: '<html>' }))
  assert.equal((await refusal(page.client.profile())).errorCode, 'INVALID_RESPONSE')
  const other = await startService(t, () => ({ body: { hello: 'world' } }))
  assert.equal((await refusal(other.client.profile())).errorCode, 'INVALID_RESPONSE')
})

test('a silent service ends in a time-out, an absent one in a network error', async (t) => {
  const silent = await startService(t, () => undefined, { timeoutMs: 50 })
  const timeout = await refusal(silent.client.profile())
  assert.deepEqual([timeout.status, timeout.errorCode], [0, 'TIMEOUT'])
  const absent = createClient({ baseUrl: 'http://127.0.0.1:1', publicKey: 'p', apiKey: 's' })
  const network = await refusal(absent.profile())
  assert.deepEqual([network.status, network.errorCode], [0, 'NETWORK_ERROR'])
})

test('keys and tokens never follow a redirect', async (t) => {
  const { client, seen } = await startService(t, () => ({
    status: 307,
    body: {},
    headers: { location: '/elsewhere' },
  }))
  assert.equal((await refusal(client.profile())).errorCode, 'NETWORK_ERROR')
  assert.ok(!seen.some((each) => each.url === '/elsewhere'))
})

test('a caller that gives up gets its own reason back', async (t) => {
  const { client } = await startService(t, () => undefined)
  const reason = new Error('the customer left')
  await assert.rejects(client.request('GET', '/x', { signal: AbortSignal.abort(reason) }), reason)
})

test('a base address may end in a slash, and fetch may be given', async () => {
  const urls: string[] = []
  const fetch = (async (url: string) => {
    urls.push(url)
    return Response.json({ success: true, token: 't', expiresAt: 4e9 })
  }) as typeof globalThis.fetch
  const keys = { publicKey: 'p', apiKey: 's' }
  await createClient({ baseUrl: 'https://pay.example/', ...keys, fetch }).profile()
  assert.deepEqual(urls, [
    'https://pay.example/api/b2b/auth/generate-bearer-token',
    'https://pay.example/api/b2b/users',
  ])
})
