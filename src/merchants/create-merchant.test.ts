import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant, seal } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { createIds, slotOf } from '../ids.ts'
import { checkLedger } from '../ledger/check.ts'
import { walletsOf } from '../ledger/wallets.ts'
import { minorFromNumber } from '../money/amounts.ts'
import { currencies } from '../money/currencies.ts'
import { createMerchant } from './create-merchant.ts'
import { ensureDemoMerchant } from './demo.ts'

const { sql, drop } = await testDatabase()
after(drop)
const ids = createIds(systemClock)
const person = { name: 'Duka', firstName: 'Amina', lastName: 'Odhiambo' }

test('a new merchant has a funded sandbox account and an empty live one', async () => {
  const { sandbox, live } = await makeMerchant(sql)
  const owner = ({ account }: typeof sandbox) => ({ ...account, accountId: account.id })
  const wallets = await walletsOf(sql, owner(sandbox))
  const scopes = currencies.flatMap(({ code, fundedScopes }) =>
    fundedScopes.map((country) => ({ currency: code, country })),
  )
  assert.equal(wallets.length, scopes.length)
  for (const { currency, country } of scopes) {
    const wallet = wallets.find((one) => one.currency === currency && one.country === country)
    assert.equal(wallet?.available, minorFromNumber(100_000_000, currency))
    assert.equal(wallet?.environment, 'sandbox')
  }
  assert.deepEqual(await walletsOf(sql, owner(live)), [])
  assert.deepEqual((await checkLedger(sql)).problems, [])
})

test('the ids of an account carry its slot', async () => {
  const { sandbox, live } = await makeMerchant(sql)
  for (const { account, credential } of [sandbox, live]) {
    assert.equal(slotOf(account.id), account.slot)
    assert.equal(slotOf(credential.id), account.slot)
  }
})

test('two merchants cannot have one e-mail address, in whatever case, and nothing is left behind', async () => {
  const create = (email: string) => createMerchant(sql, ids, seal, 'test', { ...person, email })
  await create('amina@duka.example')
  const [before] = await sql`select count(*)::int as accounts from accounts`
  const taken = { code: 'VALIDATION_ERROR', message: /there is a merchant with the email/ }
  await assert.rejects(create('Amina@Duka.example'), taken)
  const [now] = await sql`select count(*)::int as accounts from accounts`
  assert.deepEqual({ ...now }, { ...before })
})

test('what is missing or too long is refused by its name', async () => {
  const right = { ...person, email: 'right@duka.example' }
  const wrong: [Partial<typeof right>, RegExp][] = [
    [{ email: 'not an address' }, /email is not an e-mail address/],
    [{ email: `${'a'.repeat(250)}@b.example` }, /email has 1 to 254 characters/],
    [{ name: '   ' }, /name has 1 to 200 characters/],
    [{ firstName: '' }, /firstName has 1 to 100 characters/],
    [{ lastName: 'x'.repeat(101) }, /lastName has 1 to 100 characters/],
  ]
  for (const [part, message] of wrong) {
    const made = createMerchant(sql, ids, seal, 'test', { ...right, ...part })
    await assert.rejects(made, { code: 'VALIDATION_ERROR', message })
  }
})

test('the creation is on record', async () => {
  const { merchant } = await makeMerchant(sql)
  const entries = await sql`select actor, action from audit_log where subject = ${merchant.id}`
  assert.deepEqual([...entries], [{ actor: 'test', action: 'merchant.create' }])
})

test('starts at once make one demo merchant, and a later one keeps its keys', async (t) => {
  const own = (await testDatabase(t)).sql
  const ensure = (kept?: Awaited<ReturnType<typeof ensureDemoMerchant>>) =>
    ensureDemoMerchant(own, ids, seal, kept)
  const [kept] = await Promise.all([1, 2, 3, 4].map(() => ensure()))
  const [made] = await own`select count(*)::int as merchants from merchants`
  assert.equal(made?.merchants, 1)
  assert.deepEqual(await ensure(kept), kept)
  const count = async () => (await own`select id from credentials`).length
  const before = await count()
  const fresh = await ensure()
  assert.notEqual(fresh.apiKey, kept!.apiKey)
  assert.equal(await count(), before + 1)
})

test('kept keys that no longer work are replaced', async (t) => {
  const own = (await testDatabase(t)).sql
  for (const column of ['revoked_at', 'expires_at']) {
    const kept = await ensureDemoMerchant(own, ids, seal, undefined)
    await own.unsafe(`update credentials set ${column} = now()`)
    const fresh = await ensureDemoMerchant(own, ids, seal, kept)
    assert.notEqual(fresh.apiKey, kept.apiKey, column)
  }
  const strangers = { publicKey: 'pk_sandbox_x', apiKey: 'sk_sandbox_x', webhookSecret: 'whsec_x' }
  assert.notEqual((await ensureDemoMerchant(own, ids, seal, strangers)).apiKey, strangers.apiKey)
})
