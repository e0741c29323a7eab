import assert from 'node:assert/strict'
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import {
  type Answer,
  exchangeRequest,
  getUser,
  keysOf,
  makeKeys,
  makeMerchant,
  putWebhooks,
  type Server,
  sandboxPath,
  seal,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { freePort, waitFor } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { connect } from '../db/pool.ts'
import { createLogTo } from '../log.ts'
import { createSigningKeys } from '../merchants/signing-keys.ts'
import { createTokens } from '../merchants/tokens.ts'

function collectLog() {
  const lines: string[] = []
  const log = createLogTo({ write: (line) => void lines.push(line) }, 'trace')
  return { log, lines }
}

function assertFault(answer: Answer, status: number, errorCode: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.errorCode, errorCode)
  assert.equal(answer.body.success, false)
  assert.ok(answer.headers['x-request-id'])
}

test('a fault of ours gets 500 with a request id and without a word of what it was', async (t) => {
  const { log, lines } = collectLog()
  const faults: Record<string, unknown> = {
    error: new Error('the secret of the house'),
    coded: Object.assign(new Error('the secret of the house'), { code: 'XX000' }),
    status: Object.assign(new Error('the secret of the house'), { statusCode: 502 }),
    text: 'the secret of the house',
    nothing: undefined,
  }
  const node = await startLoneNode(t, {
    log,
    prepare: (server) => {
      for (const [name, fault] of Object.entries(faults)) {
        server.get(`/broken/${name}`, async () => {
          throw fault
        })
      }
    },
  })
  for (const name of Object.keys(faults)) {
    const answer = await node.send({ method: 'GET', url: `/broken/${name}` })
    assertFault(answer, 500, 'INTERNAL_SERVER_ERROR')
    const shown = JSON.stringify([answer.text, answer.headers])
    assert.doesNotMatch(shown, /secret|stack|\.ts|node_modules/)
    assert.match(String(answer.body.message), /Quote the request id/)
    const id = answer.headers['x-request-id']!
    assert.ok(lines.some((line) => line.includes(id) && line.includes('"level":"error"')))
  }
  assert.ok(lines.some((line) => line.includes('the secret of the house')))
})

/** A node whose statements go to a port where nobody listens. */
async function cutOffNode(t: TestContext) {
  const away = `postgres://nobody:secret@127.0.0.1:${await freePort()}/nothing`
  const db = connect(away, { maxConnections: 2 })
  t.after(() => db.end({ timeout: 1 }))
  const changes = { isLive: () => true, onChange: () => {}, stop: async () => {} }
  const signingKeys = createSigningKeys(db, seal)
  const tokens = createTokens({ db, clock: systemClock, signingKeys, changes })
  return await startLoneNode(t, { parts: { db, tokens, changes } })
}

test('while the database is away requests get 503 and when to come again', async (t) => {
  const node = await cutOffNode(t)
  const keys = { publicKey: 'pk_sandbox_x', apiKey: 'sk_sandbox_x' }
  const token = [{ alg: 'HS256', kid: 'key_x' }, { jti: 'x', sub: 'x', exp: 9e9 }, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  for (const request of [exchangeRequest(keys), getUser(token)]) {
    const answer = await node.send(request)
    assertFault(answer, 503, 'SERVICE_UNAVAILABLE')
    assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.doesNotMatch(answer.text, /ECONN|postgres|127\.0\.0\.1/)
  }
})

test('a service without its database is alive but not ready', async (t) => {
  const node = await cutOffNode(t)
  assert.equal((await node.send({ method: 'GET', url: '/healthz' })).status, 200)
  const { status, body } = await node.send({ method: 'GET', url: '/readyz' })
  assert.equal(status, 503)
  assert.deepEqual(body, { status: 'not ready', reason: 'the database is not reachable' })
})

test('a service is not ready on a database that is not migrated, nor when it hears no changes', async (t) => {
  const deaf = { isLive: () => false, onChange: () => {}, stop: async () => {} }
  const silent = await startLoneNode(t, { parts: { changes: deaf } })
  const read = async (node: typeof silent) =>
    (await node.send({ method: 'GET', url: '/readyz' })).body.reason
  assert.equal(await read(silent), 'changes of other nodes are not heard')
  const behind = await startLoneNode(t)
  await behind.db`delete from schema_migrations`
  assert.equal(await read(behind), 'the database is not migrated')
})

test('connections that PostgreSQL ended cost at most a 503 and are made anew', async (t) => {
  const node = await startLoneNode(t)
  const token = await tokenFor(node, keysOf((await makeMerchant(node.db)).sandbox))
  await node.db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  const statuses = new Set<number>()
  await waitFor(async () => {
    const { status } = await node.send(getUser(token))
    statuses.add(status)
    return status === 200
  })
  statuses.delete(503)
  assert.deepEqual([...statuses], [200])
})

const limited = await startLoneNode(
  { after },
  { settings: { MALIPO_RATE_LIMIT: '3', MALIPO_TOKEN_RATE_LIMIT: '2' } },
)

function assertLimited(answer: Answer, max: number): void {
  assertFault(answer, 429, 'RATE_LIMITED')
  assert.equal(answer.headers['ratelimit-limit'], String(max))
  assert.equal(answer.headers['ratelimit-remaining'], '0')
  const after = Number(answer.headers['retry-after'])
  assert.ok(after >= 1 && after <= 60, `retry after ${after}`)
}

/** A token without an exchange over HTTP, which has a limit of its own here. */
async function limitedToken(keys: { publicKey: string; apiKey: string }): Promise<string> {
  return (await limited.tokens.exchange({ ...keys, ip: '127.0.0.1' })).token
}

test('a credential over its limit gets 429, over all paths together, and alone', async () => {
  const { sandbox } = await makeMerchant(limited.db)
  const token = await limitedToken(keysOf(sandbox))
  const other = await limitedToken(await makeKeys(limited.db, sandbox, {}))
  const first = await limited.send(getUser(token))
  assert.equal(first.status, 200)
  assert.equal(first.headers['ratelimit-limit'], '3')
  assert.equal(first.headers['ratelimit-remaining'], '2')
  assert.ok(Number(first.headers['ratelimit-reset']) > 0)
  assert.equal((await limited.send(getUser(token, sandboxPath))).status, 200)
  assert.equal((await limited.send(putWebhooks(token, {}))).status, 200)
  assertLimited(await limited.send(getUser(token)), 3)
  assertLimited(await limited.send(putWebhooks(token, {}, sandboxPath)), 3)
  assert.equal((await limited.send(getUser(other))).status, 200)
})

test('an address that exchanges too often gets 429, right keys or wrong, and alone', async () => {
  const keys = keysOf((await makeMerchant(limited.db)).sandbox)
  const wrong = { ...keys, apiKey: 'sk_sandbox_wrong' }
  const from = (remoteAddress: string) => ({ remoteAddress })
  assert.equal((await limited.send({ ...exchangeRequest(wrong), ...from('9.9.9.9') })).status, 401)
  assert.equal((await limited.send({ ...exchangeRequest(keys), ...from('9.9.9.9') })).status, 200)
  assertLimited(await limited.send({ ...exchangeRequest(keys), ...from('9.9.9.9') }), 2)
  const mirrored = exchangeRequest(keys, sandboxPath)
  assertLimited(await limited.send({ ...mirrored, ...from('9.9.9.9') }), 2)
  assert.equal((await limited.send({ ...exchangeRequest(keys), ...from('9.9.9.8') })).status, 200)
})

/** A connection that keeps what it receives. */
function openSocket(server: Server) {
  const { port } = server.addresses()[0] as AddressInfo
  const socket = connectSocket(port, '127.0.0.1')
  const connection = { socket, received: '' }
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    connection.received += chunk
  })
  return connection
}

test('a stop answers what is under way, also a request of which only half has come', async (t) => {
  let release = (): void => {}
  let begun = false
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // Before the server is closed, which waits for what is under way.
  t.after(() => release())
  const prepare = (server: Server) => {
    server.get('/slow', async () => {
      begun = true
      await held
      return { slow: true }
    })
  }
  const { server } = await startLoneNode(t, { prepare })
  const sockets: Socket[] = []
  server.server.on('connection', (socket) => sockets.push(socket))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const [slow, half] = [openSocket(server), openSocket(server)]
  half.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n')
  slow.socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  // A connection of which nothing has been read counts as idle, and a stop closes those.
  await waitFor(() => begun && sockets.filter(({ bytesRead }) => bytesRead > 0).length === 2)
  const closing = server.close()
  half.socket.write('\r\n')
  await waitFor(() => half.received.includes('"alive"'))
  release()
  await closing
  await waitFor(() => slow.received.includes('"slow":true'))
  for (const { received } of [slow, half]) assert.match(received, /^HTTP\/1\.1 200 /)
})
