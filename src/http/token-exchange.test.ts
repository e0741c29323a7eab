import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  businessPath,
  exchangeRequest,
  getUser,
  keysOf,
  makeKeys,
  makeMerchant,
  sandboxPath,
  startLoneNode,
  startNode,
  tokenFor,
  wrongKeys,
} from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { manualClock, unixSeconds } from '../clock.ts'
import { revokeCredential } from '../merchants/credentials.ts'

const node = await startLoneNode({ after })

async function prepared() {
  const merchant = await makeMerchant(node.db)
  return { merchant, keys: keysOf(merchant.sandbox) }
}

type Sent = { headers?: Record<string, string>; payload?: string }

/** An exchange as it comes, without anything added to it. */
function sendExchange({ headers = {}, payload }: Sent): Promise<Answer> {
  return node.send({
    method: 'POST',
    url: `${businessPath}/auth/generate-bearer-token`,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
}

function assertRefused(answer: Answer, status: number, errorCode: string, message: RegExp): void {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['success', 'message', 'errorCode'])
  assert.equal(answer.body.success, false)
  assert.equal(answer.body.errorCode, errorCode)
  assert.match(String(answer.body.message), message)
  assert.match(String(answer.headers['content-type']), /^application\/json/)
}

test('the right keys give a token that lasts an hour and opens the API', async () => {
  const { keys } = await prepared()
  const before = unixSeconds(Date.now())
  const { status, body } = await node.send(exchangeRequest(keys))
  const after = unixSeconds(Date.now())
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['success', 'token', 'expiresAt'])
  assert.equal(body.success, true)
  assert.ok(Number.isInteger(body.expiresAt))
  assert.ok(Number(body.expiresAt) >= before + 3600 && Number(body.expiresAt) <= after + 3600)
  assert.equal((await node.send(getUser(String(body.token)))).status, 200)
})

test('wrong, foreign and missing keys get 401, and all the same answer', async () => {
  const { merchant, keys } = await prepared()
  const other = await makeKeys(node.db, merchant.sandbox, {})
  const stranger = keysOf((await makeMerchant(node.db)).sandbox)
  const { publicKey, apiKey } = keys
  const pairs = [
    { publicKey, apiKey: `${apiKey}x` },
    { publicKey, apiKey: publicKey },
    { publicKey, apiKey: '' },
    { publicKey: other.publicKey, apiKey },
    { publicKey: stranger.publicKey, apiKey },
    { publicKey: keysOf(merchant.live).publicKey, apiKey },
    { publicKey: 'pk_sandbox_nobody', apiKey },
    { publicKey: publicKey.toUpperCase(), apiKey },
    { publicKey: '\u0000', apiKey },
  ]
  for (const pair of pairs) {
    const { status, body } = await node.send(exchangeRequest(pair))
    assert.equal(status, 401, JSON.stringify(pair))
    assert.deepEqual(body, wrongKeys)
  }
  const headers = { 'content-type': 'application/json' }
  const answer = await sendExchange({ headers, payload: JSON.stringify({ publicKey }) })
  assert.equal(answer.status, 401)
  assert.deepEqual(answer.body, wrongKeys)
})

test('a request that is not a JSON object with a public key is told what is wrong', async () => {
  const { keys } = await prepared()
  const headers = { 'api-key': keys.apiKey, 'content-type': 'application/json' }
  const refused: [string | undefined, RegExp][] = [
    ['{}', /^Validation error: publicKey is required\.$/],
    ['{"publicKey":7}', /^Validation error: publicKey must be a string\.$/],
    ['{"publicKey":null}', /^Validation error: publicKey must be a string\.$/],
    ['{"publicKey":["pk"]}', /^Validation error: publicKey must be a string\.$/],
    ['{"publicKey":""}', /^Validation error: publicKey must not be empty\.$/],
    [JSON.stringify({ publicKey: 'x'.repeat(201) }), /publicKey must have at most 200 characters/],
    ['{"publicKey":', /^Validation error: the body is not valid JSON\.$/],
    ['{"__proto__":{"publicKey":"pk"}}', /^Validation error: /],
    ['', /^Validation error: the body is empty; send a JSON object\.$/],
    [undefined, /^Validation error: /],
    ['null', /^Validation error: the body must be a JSON object\.$/],
    ['[]', /^Validation error: the body must be a JSON object\.$/],
    ['"pk"', /^Validation error: the body must be a JSON object\.$/],
  ]
  for (const [payload, message] of refused) {
    const answer = await sendExchange({
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    assertRefused(answer, 400, 'VALIDATION_ERROR', message)
  }
  const bare = await sendExchange({ headers: { 'api-key': keys.apiKey } })
  assertRefused(bare, 400, 'VALIDATION_ERROR', /^Validation error: the body /)
})

test('a body of another type gets 415, and one over 1 MiB gets 413', async () => {
  const { keys } = await prepared()
  const payload = JSON.stringify({ publicKey: keys.publicKey })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'nonsense']) {
    const headers = { 'api-key': keys.apiKey, 'content-type': type }
    const answer = await sendExchange({ headers, payload })
    assertRefused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE', /content-type: application\/json/)
  }
  const headers = { 'api-key': keys.apiKey, 'content-type': 'application/json' }
  const padded = (bytes: number) => payload.padEnd(bytes, ' ')
  const full = await sendExchange({ headers, payload: padded(1024 * 1024) })
  assert.equal(full.status, 200)
  const over = await sendExchange({ headers, payload: padded(1024 * 1024 + 1) })
  assertRefused(over, 413, 'PAYLOAD_TOO_LARGE', /larger than 1 MiB/)
})

test('fields nobody asked for are ignored, and charsets and spelling of the type do not matter', async () => {
  const { keys } = await prepared()
  const payload = JSON.stringify({ publicKey: keys.publicKey, more: { of: ['it'] }, scopes: 7 })
  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    const headers = { 'api-key': keys.apiKey, 'content-type': type }
    assert.equal((await sendExchange({ headers, payload })).status, 200, type)
  }
})

test('while more than five minutes are left the same token comes back, then a new one', async (t) => {
  const clock = manualClock(Date.now())
  const node = await startLoneNode(t, { clock })
  const keys = keysOf((await makeMerchant(node.db)).sandbox)
  const first = (await node.send(exchangeRequest(keys))).body
  clock.advance((3600 - 301) * 1000)
  assert.deepEqual((await node.send(exchangeRequest(keys))).body, first)
  clock.advance(1000)
  const second = (await node.send(exchangeRequest(keys))).body
  assert.notEqual(second.token, first.token)
  assert.equal(second.expiresAt, unixSeconds(clock.now()) + 3600)
  assert.equal((await node.send(getUser(String(first.token)))).status, 200)
  assert.deepEqual((await node.send(exchangeRequest(keys))).body, second)
})

test('fifty exchanges at once, on two nodes, all get one token', async (t) => {
  const { url, sql } = await testDatabase(t)
  const nodes = [await startNode(t, url), await startNode(t, url)]
  const keys = keysOf((await makeMerchant(sql)).sandbox)
  const tokens = await Promise.all(
    Array.from({ length: 50 }, (_, index) => tokenFor(nodes[index % 2]!, keys)),
  )
  assert.equal(new Set(tokens).size, 1)
  assert.equal((await nodes[1]!.send(getUser(tokens[0]!))).status, 200)
})

test('two credentials of one account have tokens of their own', async () => {
  const { merchant, keys } = await prepared()
  const other = await makeKeys(node.db, merchant.sandbox, {})
  const [first, second] = [await tokenFor(node, keys), await tokenFor(node, other)]
  assert.notEqual(first, second)
  await revokeCredential(node.db, node.ids, 'test', other.id)
  assert.deepEqual((await node.send(exchangeRequest(other))).body, wrongKeys)
  assert.equal((await node.send(getUser(first))).status, 200)
})

test('live keys are exchanged under the business path only', async () => {
  const { merchant, keys } = await prepared()
  const live = keysOf(merchant.live)
  assert.equal((await node.send(exchangeRequest(keys, sandboxPath))).status, 200)
  assert.equal((await node.send(exchangeRequest(live))).status, 200)
  const refused = await node.send(exchangeRequest(live, sandboxPath))
  assertRefused(refused, 403, 'SANDBOX_ONLY', /sandbox token only/)
})
