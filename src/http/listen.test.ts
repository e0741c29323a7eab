import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, connect as openSocket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Server, startLoneNode } from '../../test/app-harness.ts'
import { freePort, waitFor } from '../../test/harness.ts'
import { listen } from './listen.ts'

const both = ['127.0.0.1', '::1']

async function hasBoth(): Promise<boolean> {
  const probe = createServer().listen(0, '::1')
  const isThere = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  probe.close()
  return isThere
}

const options = { skip: (await hasBoth()) ? false : 'this machine has one loopback address' }

function talk(host: string, port: number, text: string) {
  const socket = openSocket(port, host)
  const talking = { socket, received: '' }
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    talking.received += chunk
  })
  socket.write(text)
  return talking
}

/** A server on both addresses, with a route that waits until it is let go. */
async function heldServer(t: TestContext) {
  const held = Promise.withResolvers<void>()
  // Before the server is closed, which waits for what is under way.
  t.after(() => held.resolve())
  let waiting = 0
  const { server } = await startLoneNode(t, {
    prepare: (app: Server) => {
      app.get('/slow', async () => {
        waiting++
        await held.promise
        return { slow: true }
      })
    },
  })
  const port = await listen(server, { host: 'localhost', port: 0 }, async () => both)
  return { server, port, waiting: () => waiting, release: held.resolve }
}

test('every address of a host is served alike, what is not HTTP included', options, async (t) => {
  const { port } = await heldServer(t)
  for (const host of both) {
    const right = talk(host, port, 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const wrong = talk(host, port, 'hello\r\n\r\n')
    await Promise.all([once(right.socket, 'close'), once(wrong.socket, 'close')])
    assert.match(right.received, /^HTTP\/1\.1 200 /)
    assert.match(wrong.received, /^HTTP\/1\.1 400 .*"errorCode":"VALIDATION_ERROR"/s)
  }
})

test(
  'a stop answers what is under way on every address, and then takes no more',
  options,
  async (t) => {
    const { server, port, waiting, release } = await heldServer(t)
    const kept = both.map((host) => talk(host, port, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'))
    await waitFor(() => kept.every(({ received }) => received.includes('alive')))
    const slow = both.map((host) => talk(host, port, 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n'))
    await waitFor(() => waiting() === both.length)
    const idleEnd = Promise.all(kept.map(({ socket }) => once(socket, 'close')))
    let isClosed = false
    const closing = server.close().then(() => {
      isClosed = true
    })
    await idleEnd
    assert.equal(isClosed, false)
    release()
    await closing
    await waitFor(() => slow.every(({ received }) => received.includes('"slow":true')))
    for (const { received } of slow) assert.match(received, /^HTTP\/1\.1 200 /)
    for (const host of both) await assert.rejects(once(openSocket(port, host), 'connect'))
  },
)

test('a port that is taken on one address only is taken', options, async (t) => {
  for (const host of both) {
    const port = await freePort()
    const other = createServer().listen(port, host)
    await once(other, 'listening')
    t.after(() => void other.close())
    const { server } = await startLoneNode(t)
    const listening = listen(server, { host: 'localhost', port }, async () => both)
    await assert.rejects(listening, { code: 'EADDRINUSE' })
  }
})

test('an address that this machine does not have is passed over', async (t) => {
  const { server } = await startLoneNode(t)
  const found = async () => ['127.0.0.1', '203.0.113.1']
  const port = await listen(server, { host: 'localhost', port: 0 }, found)
  const response = await fetch(`http://127.0.0.1:${port}/healthz`)
  assert.equal(response.status, 200)
})
