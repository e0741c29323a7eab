import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'

const node = await startLoneNode({ after })
const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
const read = (url: string, headers: Record<string, string> = { accept: html }) =>
  node.send({ method: 'GET', url, headers })
const built = await readdir(new URL('../../web/dist/assets/', import.meta.url)).catch(() => [])

test('every page of the dashboard is the one page, with a nonce of its own', async () => {
  const nonces = new Set<string>()
  for (const url of ['/', '/transactions?status=FAILED', '/join/abc', '/sandbox/people']) {
    const { status, headers, text } = await read(url)
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], url)
    const policy = headers['content-security-policy'] ?? ''
    const nonce = /style-src 'self' 'nonce-([\w+/]{24})'/.exec(policy)?.[1] ?? ''
    assert.ok(text.includes(`content="${nonce}"`), url)
    assert.ok(!text.includes('__NONCE__'))
    assert.match(policy, /default-src 'self'; .*script-src 'self'; /)
    assert.match(policy, /img-src 'self' data:/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(headers['cache-control'], 'no-store', 'a nonce is used once')
    assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)/, 'has an inline script')
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 4)
})

test('a wrong path of the API, of a file or of the dashboard is not a page', async () => {
  const wrong = [
    ...['/api', '/api/b2b/nothing', '/dashboard/nothing', '/dashboard', '/docs/nothing'],
    ...['/metrics/x', '/assets/nothing.js', '/sandbox/confirm', '/rails/x'],
  ]
  for (const url of wrong) {
    const { status, body } = await read(url)
    assert.deepEqual([status, body.errorCode], [404, 'ROUTE_NOT_FOUND'], url)
  }
  assert.equal((await read('/transactions', { accept: 'application/json' })).status, 404)
  assert.equal((await node.send({ method: 'POST', url: '/transactions' })).status, 404)
})

test('files of the dashboard are sent small, and may be kept for good', async () => {
  const script = built.find((name) => name.endsWith('.js'))
  assert.ok(script, 'the dashboard is built')
  for (const [encoding, accepted] of [['br', 'gzip, br'] as const, ['gzip', 'gzip'] as const]) {
    const answer = await read(`/assets/${script}`, { 'accept-encoding': accepted })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-encoding'], encoding)
    assert.match(answer.headers['content-type'] ?? '', /javascript/)
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
  }
})
