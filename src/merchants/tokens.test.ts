import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { keysOf, makeKeys, makeMerchant, seal } from '../../test/app-harness.ts'
import { freePort, testDatabase, waitFor } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { type Changes, followChanges, heartbeatMs } from '../db/changes.ts'
import { isConnectionFault } from '../db/faults.ts'
import { connect, type Db } from '../db/pool.ts'
import { createIds } from '../ids.ts'
import { revokeCredential, rotateCredential } from './credentials.ts'
import { createSigningKeys, rotateSigningKey } from './signing-keys.ts'
import { createTokens, type Tokens } from './tokens.ts'
import { setWebhookUrls } from './webhook-settings.ts'

const { url, sql, drop } = await testDatabase()
after(drop)
const ids = createIds(systemClock)
const ip = '127.0.0.1'
const refused = { name: 'AppError', code: 'UNAUTHORIZED' }

/** Tokens of a node whose queries are counted, so that a cached answer can be told. */
async function countingTokens(t: TestContext, feed?: Changes, databaseUrl = url) {
  const db = connect(databaseUrl, { maxConnections: 2 })
  let queries = 0
  const counted = new Proxy(db, {
    apply(target, self, args) {
      queries++
      return Reflect.apply(target, self, args)
    },
  })
  const changes = feed ?? (await followChanges(db, systemClock))
  t.after(async () => {
    if (!feed) await changes.stop()
    await db.end({ timeout: 1 })
  })
  const tokens = createTokens({
    db: counted,
    clock: systemClock,
    signingKeys: createSigningKeys(counted, seal),
    changes,
  })
  return { tokens, changes, queries: () => queries }
}

/** A feed that says what the test wants it to. */
function heldFeed(): Changes & { tell(subject: string): void; live: boolean } {
  const listeners: ((subject: string) => void)[] = []
  const feed = {
    live: true,
    isLive: () => feed.live,
    onChange: (listener: (subject: string) => void) => void listeners.push(listener),
    tell(subject: string) {
      for (const listener of listeners) listener(subject)
    },
    async stop() {},
  }
  return feed
}

async function newToken(tokens: Tokens, db: Db = sql) {
  const { sandbox } = await makeMerchant(db)
  const { token } = await tokens.exchange({ ...keysOf(sandbox), ip })
  return { sandbox, token, credentialId: sandbox.credential.id }
}

test('a verified token is not looked up again', async (t) => {
  const { tokens, queries } = await countingTokens(t)
  const { token, credentialId } = await newToken(tokens)
  assert.equal((await tokens.verify(token)).credentialId, credentialId)
  const before = queries()
  for (let i = 0; i < 100; i++) await tokens.verify(token)
  assert.equal(queries(), before)
})

test('a revocation reaches every node at once, also where the token is cached', async (t) => {
  const [one, two] = [await countingTokens(t), await countingTokens(t)]
  const { token, credentialId } = await newToken(one.tokens)
  for (const { tokens } of [one, two]) await tokens.verify(token)
  await revokeCredential(sql, ids, 'test', credentialId)
  const revokedMs = performance.now()
  for (const { tokens } of [one, two]) {
    await waitFor(async () => {
      const held = await tokens.verify(token).then(
        () => true,
        () => false,
      )
      return !held
    })
    await assert.rejects(tokens.verify(token), refused)
  }
  // Long before the next heartbeat: it was the announcement that told them.
  assert.ok(performance.now() - revokedMs < heartbeatMs)
})

test('a rotation ends the old token on every node when its overlap is over', async (t) => {
  const other = await countingTokens(t)
  const { token, credentialId } = await newToken((await countingTokens(t)).tokens)
  await other.tokens.verify(token)
  await rotateCredential(sql, ids, 'test', credentialId, 0)
  await waitFor(() =>
    other.tokens.verify(token).then(
      () => false,
      () => true,
    ),
  )
})

test('a node that hears nothing of others does not trust its cache', async (t) => {
  const feed = heldFeed()
  const { tokens, queries } = await countingTokens(t, feed)
  const { token, credentialId } = await newToken(tokens)
  await tokens.verify(token)
  const before = queries()
  feed.live = false
  await tokens.verify(token)
  assert.ok(queries() > before)
  await revokeCredential(sql, ids, 'test', credentialId)
  await assert.rejects(tokens.verify(token), refused)
})

test('after a silence everything cached is looked up again', async (t) => {
  const feed = heldFeed()
  const { tokens } = await countingTokens(t, feed)
  const { token, credentialId } = await newToken(tokens)
  await tokens.verify(token)
  await revokeCredential(sql, ids, 'test', credentialId)
  assert.equal((await tokens.verify(token)).credentialId, credentialId, 'not told yet')
  feed.tell('all')
  await assert.rejects(tokens.verify(token), refused)
})

test('a change that arrives during a verification keeps its result out of the cache', async (t) => {
  const feed = heldFeed()
  const { tokens, queries } = await countingTokens(t, feed)
  const { token, credentialId } = await newToken(tokens)
  const verifying = tokens.verify(token)
  feed.tell(`credential:${credentialId}`)
  await verifying
  const before = queries()
  await tokens.verify(token)
  assert.ok(queries() > before)
})

test('a change of one credential leaves the tokens of others cached', async (t) => {
  const feed = heldFeed()
  const { tokens, queries } = await countingTokens(t, feed)
  const [mine, other] = [await newToken(tokens), await newToken(tokens)]
  for (const { token } of [mine, other]) await tokens.verify(token)
  feed.tell(`credential:${other.credentialId}`)
  const before = queries()
  await tokens.verify(mine.token)
  assert.equal(queries(), before)
  await tokens.verify(other.token)
  assert.ok(queries() > before)
})

test('a change of an account is seen by all tokens of the account', async (t) => {
  const { tokens, queries } = await countingTokens(t)
  const { token, sandbox } = await newToken(tokens)
  await tokens.verify(token)
  const urls = { sandboxWebhookUrl: 'https://shop.example/hooks' }
  await setWebhookUrls(sql, ids, 'test', sandbox.account.merchantId, urls, false)
  const before = queries()
  await waitFor(async () => {
    await tokens.verify(token)
    return queries() > before
  })
})

test('tokens of an older signing key go on, and new ones are signed with the new key', async (t) => {
  const { tokens } = await countingTokens(t)
  const { token, sandbox } = await newToken(tokens)
  await rotateSigningKey(sql, seal, true)
  const other = await countingTokens(t)
  await other.tokens.verify(token)
  assert.equal((await other.tokens.exchange({ ...keysOf(sandbox), ip })).token, token)
  const fresh = await other.tokens.exchange({ ...(await makeKeys(sql, sandbox, {})), ip })
  const kidOf = (text: string) =>
    JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString()).kid
  assert.notEqual(kidOf(fresh.token), kidOf(token))
  await tokens.verify(fresh.token)
})

test('however many strangers name unknown keys, the keys are read once for all of them', async (t) => {
  const { tokens, queries } = await countingTokens(t, heldFeed())
  const { token } = await newToken(tokens)
  const [, ...rest] = token.split('.')
  const before = queries()
  const strangers = Array.from({ length: 200 }, (_, index) => {
    const header = JSON.stringify({ alg: 'HS256', kid: `key_${index}` })
    return tokens.verify([Buffer.from(header).toString('base64url'), ...rest].join('.'))
  })
  for (const outcome of await Promise.allSettled(strangers)) {
    assert.equal(outcome.status, 'rejected')
  }
  assert.equal(queries(), before + 1)
})

test('nodes that need the first signing key at once make one', async (t) => {
  const empty = await testDatabase(t)
  const { sandbox } = await makeMerchant(empty.sql)
  const nodes = await Promise.all([1, 2, 3, 4].map(() => countingTokens(t, heldFeed(), empty.url)))
  const issued = await Promise.all(
    nodes.map(({ tokens }) => tokens.exchange({ ...keysOf(sandbox), ip })),
  )
  assert.equal(new Set(issued.map(({ token }) => token)).size, 1)
  const [keys] = await empty.sql`select count(*)::int as made from signing_keys`
  assert.equal(keys?.made, 1)
})

test('a database that is away says nothing about a token', async (t) => {
  const { tokens } = await countingTokens(t)
  const { token } = await newToken(tokens)
  const away = new URL(url)
  away.port = String(await freePort())
  const cut = await countingTokens(t, heldFeed(), away.href)
  await assert.rejects(cut.tokens.verify(token), isConnectionFault)
})
