import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { type Ended, runCommand, type Settings, settingsFor } from '../../test/command-line.ts'
import { type TestDatabase, testDatabase } from '../../test/harness.ts'
import { hashApiKey } from '../merchants/keys.ts'

type Side = { accountId: string; publicKey: string; apiKey: string; webhookSecret: string }
type Created = { merchant: { id: string }; sandbox: Side; live: Side }

const newMerchant = ['--name', 'Duka Ltd', '--first-name', 'Asha', '--last-name', 'Otieno']

describe('merchants and keys', () => {
  let database: TestDatabase
  let settings: Settings
  let duka: Created
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, args)
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const refusal = async (...args: string[]) => {
    const { code, out, err } = await run(...args)
    assert.deepEqual([code, out], [1, ''])
    return err.trimEnd()
  }

  before(async () => {
    database = await testDatabase()
    settings = settingsFor(database.url)
    duka = await json('merchant', 'create', ...newMerchant, '--email', 'asha@duka.example')
  })
  after(() => database.drop())

  test('a fee plan is set whole, and a wrong one changes nothing', async () => {
    const set = ['merchant', 'set-fees', 'asha@duka.example', '--environment', 'sandbox', '--plan']
    const rule = { kind: 'payout', method: 'momo', percentBasisPoints: 150, fixedMinor: 1000 }
    const { feePlan } = await json(...set, JSON.stringify([rule]))
    assert.deepEqual(feePlan, [rule])
    for (const wrong of ['[', '{}', '[{"kind":"loan"}]', '[{"kind":"payout","fixedMinor":-1}]']) {
      assert.notEqual(await refusal(...set, wrong), '', wrong)
    }
    const [stored] = await database.sql`
      select fee_plan from accounts where id = ${duka.sandbox.accountId}`
    assert.deepEqual(stored?.fee_plan, [rule])
  })

  test('a new merchant gets keys that work, shown once and stored as hashes', async () => {
    for (const side of ['sandbox', 'live'] as const) {
      const { publicKey, apiKey, webhookSecret, accountId } = duka[side]
      assert.match(publicKey, new RegExp(`^pk_${side}_`))
      assert.match(webhookSecret, /^whsec_/)
      const [row] = await database.sql`
        select public_key, account_id from credentials where api_key_hash = ${hashApiKey(apiKey)}`
      assert.deepEqual({ ...row }, { public_key: publicKey, account_id: accountId })
    }
  })

  test('the text shows every key, and says that it is not shown again', async () => {
    const email = 'juma@soko.example'
    const { code, out, err } = await run('merchant', 'create', ...newMerchant, '--email', email)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /Sandbox\n {2}public key {6}pk_sandbox_\S+\n {2}API key {9}sk_sandbox_/)
    assert.match(out, /Live\n {2}public key {6}pk_live_\S+\n/)
    assert.match(out, /not shown again\.\n$/)
    const [list, again] = await Promise.all([
      run('merchant', 'list'),
      refusal('merchant', 'create', ...newMerchant, '--email', 'ASHA@duka.example'),
    ])
    assert.equal(list.out.trimEnd().split('\n').length, 3)
    assert.match(list.out, /Duka Ltd {2}juma@soko\.example {2}\d{4}-/)
    assert.equal(again, 'There is a merchant with the email ASHA@duka.example already.')
  })

  test('an empty URL takes a webhook away, an absent one leaves it', async () => {
    const set = (...args: string[]) => json('merchant', 'set-webhook', ...args)
    const both = ['--live-url', 'https://duka.example/l', '--sandbox-url', 'https://duka.example/s']
    await set(duka.merchant.id, ...both)
    assert.deepEqual(await set('asha@duka.example', '--sandbox-url', ''), {
      merchantId: duka.merchant.id,
      liveUrl: 'https://duka.example/l',
      sandboxUrl: null,
    })
    const [plain, unknown] = await Promise.all([
      refusal('merchant', 'set-webhook', duka.merchant.id, '--live-url', 'http://duka.example'),
      refusal('merchant', 'set-webhook', 'nobody@duka.example'),
    ])
    assert.equal(plain, '--live-url must begin with https://.')
    assert.match(unknown, /^There is no merchant "nobody@duka\.example"/)
  })

  test('a rotated key goes on for the overlap; a revoked one ends at once', async () => {
    const options = ['--name', 'till', '--scope', 'read', '--scope', 'charges']
    const made = await json(
      ...['keys', 'create', '--merchant', 'asha@duka.example', '--environment', 'live'],
      ...[...options, '--allow-ip', '203.0.113.0/24'],
    )
    assert.deepEqual(made.credential.scopes, ['read', 'charges'])
    const rotated = await json('keys', 'rotate', made.credential.publicKey, '--overlap', '30m')
    assert.deepEqual(rotated.credential.ipAllowList, ['203.0.113.0/24'])
    assert.notEqual(rotated.apiKey, made.apiKey)
    const [old] = await database.sql`
      select extract(epoch from expires_at - now()) as left from credentials
      where id = ${made.credential.id}`
    assert.ok(Number(old!.left) > 1700 && Number(old!.left) <= 1800)

    const ended = await run('keys', 'rotate', rotated.credential.id, '--overlap', '0')
    assert.match(ended.out, /^The key pk_live_\S+ has ended\. This one replaces it:\n/)
    const revoked = await run('keys', 'revoke', rotated.credential.publicKey)
    assert.match(revoked.out, /is revoked, and its tokens with it\.\n$/)
    const [row] = await database.sql`
      select revoked_at is not null as revoked, expires_at <= now() as ended from credentials
      where id = ${rotated.credential.id}`
    assert.deepEqual({ ...row }, { revoked: true, ended: true })
    const refused = await refusal('keys', 'rotate', rotated.credential.id)
    assert.equal(refused, 'The credential is revoked; create a new one.')
  })

  test('keys are listed for one merchant or for all, without their secrets', async () => {
    const [one, all] = await Promise.all([
      json('keys', 'list', '--merchant', duka.merchant.id, '--environment', 'sandbox'),
      run('keys', 'list'),
    ])
    assert.deepEqual(
      one.map((each: { publicKey: string }) => each.publicKey),
      [duka.sandbox.publicKey],
    )
    assert.match(all.out, /^PUBLIC KEY +MERCHANT +NAME +SCOPES +STATE\n/)
    assert.match(all.out, /till +read charges +revoked \d{4}-/)
    assert.ok(!all.out.includes('sk_'))
  })

  test('a new signing key signs from now on, and needs the right master key', async () => {
    const { id } = await json('keys', 'rotate-signing')
    const signing = await database.sql`select id from signing_keys where retired_at is null`
    assert.deepEqual(
      signing.map((row) => row.id),
      [id],
    )
    const { code, err } = await runCommand(settingsFor(database.url), ['keys', 'rotate-signing'])
    assert.equal(code, 1)
    assert.match(err, /^The secrets in this database were sealed with another master key\./)
  })

  test('every change is on record with the person who made it', async () => {
    const rows = await database.sql`select distinct actor, action from audit_log order by action`
    assert.deepEqual(
      rows.map(({ action }) => action),
      [
        'credential.create',
        'credential.revoke',
        'credential.rotate',
        'fees.set',
        'merchant.create',
        'signing_key.rotate',
        'webhook.url',
      ],
    )
    assert.ok(rows.every(({ actor }) => actor === `cli:${userInfo().username}`))
  })
})
