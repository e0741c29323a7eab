import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import {
  getUser,
  keysOf,
  makeKeys,
  makeMerchant,
  putWebhooks,
  sandboxPath,
  startLoneNode,
  tokenFor,
  unauthorized,
} from '../../test/app-harness.ts'
import { manualClock } from '../clock.ts'
import { rotateCredential } from '../merchants/credentials.ts'

const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)

type Json = Record<string, unknown>

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())

function partsOf(token: string): { header: Json; payload: Json; signature: string } {
  const [header, payload, signature] = token.split('.')
  return { header: decode(header!), payload: decode(payload!), signature: signature! }
}

function signed(header: Json, payload: Json, key: Buffer | string, hash = 'sha256'): string {
  const body = `${encode(header)}.${encode(payload)}`
  return `${body}.${createHmac(hash, key).update(body).digest('base64url')}`
}

async function assertRefused(authorization: string | undefined, why: string): Promise<void> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const { status, body } = await node.send({ method: 'GET', url: '/api/b2b/users', headers })
  assert.equal(status, 401, why)
  assert.deepEqual(body, unauthorized, why)
}

test('a forged token gets 401 with the envelope, whatever was forged', async () => {
  const token = await tokenFor(node, keysOf(shop.sandbox))
  const { header, payload, signature } = partsOf(token)
  const [head, body] = token.split('.')
  const foreign = randomBytes(32)
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  const forged: Record<string, string> = {
    'a changed signature': `${head}.${body}.${flipped}`,
    'a changed payload': `${head}.${encode({ ...payload, env: 'live' })}.${signature}`,
    'a changed expiry': `${head}.${encode({ ...payload, exp: 9_999_999_999 })}.${signature}`,
    'a changed credential': `${head}.${encode({ ...payload, jti: node.ids.next(0) })}.${signature}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'five parts': `${token}.${body}.${head}`,
    'alg none': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'alg None with a signature': `${encode({ ...header, alg: 'None' })}.${body}.${signature}`,
    'no algorithm': signed({ typ: 'JWT', kid: header.kid }, payload, foreign),
    'another algorithm': signed({ ...header, alg: 'HS512' }, payload, foreign, 'sha512'),
    'a foreign key': signed(header, payload, foreign),
    'an empty key': signed(header, payload, ''),
    'the name of the key as key': signed(header, payload, String(header.kid)),
    'an unknown key': signed({ ...header, kid: 'key_unknown' }, payload, foreign),
    'no key name': signed({ alg: 'HS256', typ: 'JWT' }, payload, foreign),
    'a key name that is no text': signed({ ...header, kid: { a: 1 } }, payload, foreign),
    'a NUL in the key name': signed({ ...header, kid: 'key_\u0000' }, payload, foreign),
    'a key of its own': signed({ ...header, jwk: { kty: 'oct', k: 'AAAA' } }, payload, foreign),
  }
  for (const [why, text] of Object.entries(forged)) await assertRefused(`Bearer ${text}`, why)
  assert.equal((await node.send(getUser(token))).status, 200)
})

test('without a token, or with something else in its place, the answer is 401', async () => {
  const token = await tokenFor(node, keysOf(shop.sandbox))
  const { apiKey } = shop.sandbox
  const garbage = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer "${token}"`,
    `Bearer ${apiKey}`,
    'Bearer null',
    'Bearer ...',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer \u00e9',
    `Token token=${token}`,
  ]
  for (const authorization of garbage) await assertRefused(authorization, String(authorization))
})

test('the scheme may be written in any case', async () => {
  const token = await tokenFor(node, keysOf(shop.sandbox))
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR ']) {
    const headers = { authorization: `${scheme} ${token}` }
    const { status } = await node.send({ method: 'GET', url: '/api/b2b/users', headers })
    assert.equal(status, 200, scheme)
  }
})

test('a token works to the last second of its hour and not one longer, cached or not', async (t) => {
  const clock = manualClock(Math.floor(Date.now() / 1000) * 1000)
  const late = await startLoneNode(t, { clock })
  const token = await tokenFor(late, keysOf((await makeMerchant(late.db)).sandbox))
  assert.equal((await late.send(getUser(token))).status, 200)
  clock.advance(3_599_999)
  assert.equal((await late.send(getUser(token))).status, 200)
  clock.advance(1)
  const { status, body } = await late.send(getUser(token))
  assert.equal(status, 401)
  assert.deepEqual(body, unauthorized)
})

test('after the overlap of a rotation the old token gets 401 and the new one goes on', async (t) => {
  const clock = manualClock(Date.now())
  const late = await startLoneNode(t, { clock })
  const { sandbox } = await makeMerchant(late.db)
  const oldToken = await tokenFor(late, keysOf(sandbox))
  const fresh = await rotateCredential(late.db, late.ids, 'test', sandbox.credential.id, 600)
  const newToken = await tokenFor(late, {
    publicKey: fresh.credential.publicKey,
    apiKey: fresh.apiKey,
  })
  assert.equal((await late.send(getUser(oldToken))).status, 200)
  // The end of the overlap is by the clock of the database, which went on while the node started.
  clock.advance(700_000)
  const { status, body } = await late.send(getUser(oldToken))
  assert.equal(status, 401)
  assert.deepEqual(body, unauthorized)
  assert.equal((await late.send(getUser(newToken))).status, 200)
})

test('a live token works under the business path only, a sandbox token under both', async () => {
  const sandbox = await tokenFor(node, keysOf(shop.sandbox))
  const live = await tokenFor(node, keysOf(shop.live))
  assert.equal((await node.send(getUser(sandbox))).status, 200)
  assert.equal((await node.send(getUser(sandbox, sandboxPath))).status, 200)
  assert.equal((await node.send(getUser(live))).status, 200)
  const { status, body } = await node.send(getUser(live, sandboxPath))
  assert.equal(status, 403)
  assert.deepEqual(body, {
    success: false,
    message: 'This path works with a sandbox token only. Live requests go to /api/b2b.',
    errorCode: 'SANDBOX_ONLY',
  })
})

test('a credential can do what its scopes say and nothing else', async () => {
  const reader = await makeKeys(node.db, shop.sandbox, { scopes: ['read'] })
  const hooks = await makeKeys(node.db, shop.sandbox, { scopes: ['webhooks'] })
  const [reading, setting] = [await tokenFor(node, reader), await tokenFor(node, hooks)]
  const urls = { sandboxWebhookUrl: 'https://shop.example/hooks' }
  assert.equal((await node.send(getUser(reading))).status, 200)
  assert.equal((await node.send(putWebhooks(setting, urls))).status, 200)
  const refusals = [
    [await node.send(putWebhooks(reading, urls)), 'webhooks'],
    [await node.send(getUser(setting)), 'read'],
  ] as const
  for (const [{ status, body }, scope] of refusals) {
    assert.equal(status, 403)
    const message = `This credential does not have the scope ${scope}.`
    assert.deepEqual(body, { success: false, message, errorCode: 'FORBIDDEN' })
  }
})

test('a credential with an allow list works from its networks only', async () => {
  const ipAllowList = ['203.0.113.0/24', '198.51.100.7', '2001:db8:7::/48']
  const keys = await makeKeys(node.db, shop.sandbox, { ipAllowList })
  const inside = ['203.0.113.9', '::ffff:203.0.113.9', '198.51.100.7', '2001:db8:7::1']
  const outside = ['203.0.114.9', '::ffff:203.0.114.9', '198.51.100.8', '2001:db8:8::1', '::1']
  const exchange = (remoteAddress: string) =>
    node.send({
      method: 'POST',
      url: '/api/b2b/auth/generate-bearer-token',
      headers: { 'api-key': keys.apiKey, 'content-type': 'application/json' },
      payload: JSON.stringify({ publicKey: keys.publicKey }),
      remoteAddress,
    })
  const token = String((await exchange(inside[0]!)).body.token)
  for (const remoteAddress of inside) {
    assert.equal((await exchange(remoteAddress)).status, 200, remoteAddress)
    assert.equal((await node.send({ ...getUser(token), remoteAddress })).status, 200, remoteAddress)
  }
  for (const remoteAddress of outside) {
    for (const answer of [
      await exchange(remoteAddress),
      await node.send({ ...getUser(token), remoteAddress }),
    ]) {
      assert.equal(answer.status, 403, remoteAddress)
      assert.equal(answer.body.errorCode, 'IP_NOT_ALLOWED')
    }
  }
})

test('an address told by the caller counts only where a trusted proxy tells it', async (t) => {
  const settings = { MALIPO_TRUST_PROXY: '10.0.0.0/8' }
  const proxied = await startLoneNode(t, { settings })
  const { sandbox } = await makeMerchant(proxied.db)
  const keys = await makeKeys(proxied.db, sandbox, { ipAllowList: ['203.0.113.9'] })
  const exchange = (remoteAddress: string, forwarded: string) =>
    proxied.send({
      method: 'POST',
      url: '/api/b2b/auth/generate-bearer-token',
      headers: {
        'api-key': keys.apiKey,
        'content-type': 'application/json',
        'x-forwarded-for': forwarded,
      },
      payload: JSON.stringify({ publicKey: keys.publicKey }),
      remoteAddress,
    })
  assert.equal((await exchange('10.1.2.3', '203.0.113.9')).status, 200)
  assert.equal((await exchange('10.1.2.3', '203.0.113.9, 192.0.2.4')).status, 403)
  assert.equal((await exchange('10.1.2.3', 'unknown')).status, 403)
  assert.equal((await exchange('192.0.2.1', '203.0.113.9')).status, 403)
})
