import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { ensureDemoMerchant } from '../merchants/demo.ts'
import { ensureDemoPerson } from './demo-person.ts'
import { signIn } from './sign-in.ts'

const node = await startLoneNode({ after })
const { people, db } = node
const caller = { ip: '127.0.0.1', userAgent: 'test' }

test('the first login works, is kept by who keeps it, and is made anew for who lost it', async () => {
  await ensureDemoMerchant(db, node.ids, node.seal, undefined)
  const first = await ensureDemoPerson(people, undefined)
  const { token } = await signIn(people, { ...first, password: first.password! }, caller)
  assert.equal((await people.sessions.find(token))?.role, 'owner')
  assert.deepEqual(await ensureDemoPerson(people, first), first)
  const second = await ensureDemoPerson(people, undefined)
  assert.notEqual(second.password, first.password)
  await assert.rejects(signIn(people, { ...first, password: first.password! }, caller), {
    code: 'INVALID_LOGIN',
  })
  const [count] = await db`select count(*)::int as people from people`
  assert.equal(count?.people, 1)
})

test('a password somebody chose is left alone and shown to nobody', async () => {
  const kept = await ensureDemoPerson(people, undefined)
  const chosen = await people.passwords.hash('a horse and a battery')
  await db`update people set password_hash = ${chosen}`
  const later = await ensureDemoPerson(people, kept)
  assert.deepEqual(later, { email: kept.email, password: null })
  assert.deepEqual(await ensureDemoPerson(people, later), later)
  await signIn(people, { email: kept.email, password: 'a horse and a battery' }, caller)
})
