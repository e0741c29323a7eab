import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keysOf, makeKeys, makeMerchant } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'
import { scopes } from './account.ts'
import {
  createCredential,
  credentialById,
  listCredentials,
  maxCredentialsPerAccount,
  revokeCredential,
  rotateCredential,
} from './credentials.ts'

const { sql, drop } = await testDatabase()
after(drop)
const ids = createIds(systemClock)
const notFound = { name: 'AppError', code: 'CREDENTIAL_NOT_FOUND' }

const invalid = (message: RegExp) => ({ name: 'AppError', code: 'VALIDATION_ERROR', message })

async function auditOf(subject: string): Promise<{ actor: string; action: string }[]> {
  return await sql<{ actor: string; action: string }[]>`
    select actor, action from audit_log where subject = ${subject} order by id`
}

test('keys tell their environment, and a credential is found by its id and by its public key', async () => {
  const { sandbox, live } = await makeMerchant(sql)
  assert.match(sandbox.apiKey, /^sk_sandbox_[\w-]{43}$/)
  assert.match(live.apiKey, /^sk_live_[\w-]{43}$/)
  assert.match(sandbox.credential.publicKey, /^pk_sandbox_[\w-]{24}$/)
  assert.match(live.credential.publicKey, /^pk_live_[\w-]{24}$/)
  const { id, publicKey } = sandbox.credential
  assert.deepEqual(await credentialById(sql, id), sandbox.credential)
  assert.deepEqual(await credentialById(sql, publicKey), sandbox.credential)
  for (const unknown of [ids.next(0), 'pk_sandbox_unknown', '']) {
    await assert.rejects(credentialById(sql, unknown), notFound)
  }
})

test('a credential has every scope unless it is given some, and only those there are', async () => {
  const { sandbox } = await makeMerchant(sql)
  const { account } = sandbox
  const create = (wanted: string[]) =>
    createCredential(sql, ids, 'test', account, { name: 'key', scopes: wanted })
  assert.deepEqual(sandbox.credential.scopes, [...scopes])
  assert.deepEqual((await create(['read', 'payouts', 'read'])).credential.scopes, [
    'read',
    'payouts',
  ])
  await assert.rejects(create(['read', 'everything']), invalid(/scopes are one or more of read/))
  await assert.rejects(create([]), invalid(/scopes are one or more of/))
})

test('an allow list takes addresses and networks of both families and nothing else', async () => {
  const { sandbox } = await makeMerchant(sql)
  const create = (ipAllowList: string[]) =>
    createCredential(sql, ids, 'test', sandbox.account, { name: 'key', ipAllowList })
  const given = ['203.0.113.7', '203.0.113.0/24', '203.0.113.7/16', '2001:db8::/32', '2001:db8::1']
  assert.deepEqual((await create(given)).credential.ipAllowList, [
    '203.0.113.7/32',
    '203.0.113.0/24',
    '203.0.0.0/16',
    '2001:db8::/32',
    '2001:db8::1/128',
  ])
  const wrong = [
    'localhost',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/',
    '203.0.113',
    '2001:db8::/129',
    'fe80::1%eth0',
    '203.0.113.0/24/8',
    '',
    "'; drop table credentials; --",
  ]
  for (const network of wrong) {
    await assert.rejects(create([network]), invalid(/is not an IP address or network/), network)
  }
  await assert.rejects(create(Array(101).fill('203.0.113.7')), invalid(/at most 100 networks/))
})

test('a rotation makes a like credential; the old one ends after the overlap', async () => {
  const { sandbox } = await makeMerchant(sql)
  const wanted = { name: 'shop', scopes: ['read'], ipAllowList: ['203.0.113.0/24'] }
  const { credential: old, apiKey } = await createCredential(
    sql,
    ids,
    'test',
    sandbox.account,
    wanted,
  )
  const beforeMs = Date.now()
  const fresh = await rotateCredential(sql, ids, 'cli:me', old.id, 3600)
  assert.notEqual(fresh.apiKey, apiKey)
  const { name, scopes: kept, ipAllowList, expiresAt } = fresh.credential
  assert.deepEqual({ name, scopes: kept, ipAllowList }, wanted)
  assert.equal(expiresAt, null)
  const ending = (await credentialById(sql, old.id)).expiresAt!.getTime()
  assert.ok(Math.abs(ending - beforeMs - 3_600_000) < 10_000)
  // A second rotation can shorten what is left, never lengthen it.
  await rotateCredential(sql, ids, 'cli:me', old.id, 7200)
  assert.equal((await credentialById(sql, old.id)).expiresAt!.getTime(), ending)
  assert.deepEqual(await auditOf(old.id), [
    { actor: 'test', action: 'credential.create' },
    { actor: 'cli:me', action: 'credential.rotate' },
    { actor: 'cli:me', action: 'credential.rotate' },
  ])
})

test('rotating and revoking take a public key as well as an id', async () => {
  const { sandbox } = await makeMerchant(sql)
  const { id, publicKey } = sandbox.credential
  const fresh = await rotateCredential(sql, ids, 'cli:me', publicKey, 60)
  assert.ok((await credentialById(sql, id)).expiresAt)
  await revokeCredential(sql, ids, 'cli:me', fresh.credential.publicKey)
  assert.ok((await credentialById(sql, fresh.credential.id)).revokedAt)
  assert.equal((await auditOf(id)).length, 1)
  assert.equal((await auditOf(fresh.credential.id)).length, 1)
})

test('a revoked credential stays revoked since the first time, and is not rotated', async () => {
  const { sandbox } = await makeMerchant(sql)
  const { id } = sandbox.credential
  await revokeCredential(sql, ids, 'test', id)
  const { revokedAt } = await credentialById(sql, id)
  await revokeCredential(sql, ids, 'test', id)
  assert.deepEqual((await credentialById(sql, id)).revokedAt, revokedAt)
  await assert.rejects(rotateCredential(sql, ids, 'test', id, 0), invalid(/is revoked/))
  await assert.rejects(revokeCredential(sql, ids, 'test', ids.next(0)), notFound)
})

test('an account has a bounded number of credentials in use, also when many are made at once', async () => {
  const { sandbox } = await makeMerchant(sql)
  const first = sandbox.credential.id
  for (let made = 1; made < maxCredentialsPerAccount - 1; made++) {
    await makeKeys(sql, sandbox, {})
  }
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => makeKeys(sql, sandbox, {})))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(makeKeys(sql, sandbox, {}), invalid(/at most 50 active credentials/))
  // Those that were revoked or have ended make room.
  await revokeCredential(sql, ids, 'test', first)
  const { id } = await makeKeys(sql, sandbox, {})
  await sql`update credentials set expires_at = now() where id = ${id}`
  await makeKeys(sql, sandbox, {})
})

test('a list shows the credentials of one account, newest first, without their keys', async () => {
  const { sandbox } = await makeMerchant(sql)
  const second = await makeKeys(sql, sandbox, { name: 'second' })
  const list = await listCredentials(sql, sandbox.account.id)
  assert.deepEqual(
    list.map(({ publicKey }) => publicKey),
    [second.publicKey, keysOf(sandbox).publicKey],
  )
  assert.ok(!JSON.stringify(list).includes('sk_'))
  assert.ok((await listCredentials(sql)).length > 2)
})
