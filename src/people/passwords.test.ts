import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertPassword, createPasswords } from './passwords.ts'

const passwords = createPasswords()

test('a password opens its own hash and no other', async () => {
  const hash = await passwords.hash('a horse and a battery')
  assert.match(hash, /^argon2id\$m=19456,t=2,p=1\$/)
  assert.ok(!hash.includes('horse'))
  assert.notEqual(hash, await passwords.hash('a horse and a battery'), 'each has its own salt')
  assert.equal(await passwords.verify('a horse and a battery', hash), true)
  for (const wrong of ['a horse and a batterz', '', 'A horse and a battery']) {
    assert.equal(await passwords.verify(wrong, hash), false, wrong)
  }
})

test('the same letters written by another keyboard are the same password', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait, merci')
  assert.equal(await passwords.verify('cafe\u0301 au lait, merci', hash), true)
})

test('without a hash nothing is right, and it takes as long', async () => {
  const hash = await passwords.hash('a horse and a battery')
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let round = 0; round < 5; round++) {
    for (const [kind, given] of [['known', hash] as const, ['unknown', undefined] as const]) {
      const from = performance.now()
      assert.equal(await passwords.verify('wrong but as long', given), false)
      times[kind].push(performance.now() - from)
    }
  }
  // The fastest of each: the others waited for the machine.
  const ratio = Math.min(...times.unknown) / Math.min(...times.known)
  assert.ok(ratio > 0.5 && ratio < 2, `${ratio}`)
  for (const odd of [null, '', 'none', 'argon2id$m=1$x']) {
    assert.equal(await passwords.verify('wrong but as long', odd), false)
  }
})

test('a flood is refused beyond a bound, and what was taken is answered', async () => {
  const passwords = createPasswords({ maxQueued: 3 })
  const asked = Array.from({ length: 20 }, () => passwords.verify('wrong but as long', null))
  const ended = await Promise.allSettled(asked)
  const refused = ended.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 20 - 2 - 3)
  for (const each of refused) {
    assert.equal((each as PromiseRejectedResult).reason.code, 'SERVICE_UNAVAILABLE')
  }
  assert.equal(await passwords.verify('wrong but as long', null), false, 'it goes on afterwards')
})

test('a password has 12 to 200 characters, however they are written', () => {
  for (const right of ['x'.repeat(12), 'x'.repeat(200), '\u{1f40e}'.repeat(200)])
    assertPassword(right)
  for (const wrong of ['', 'x'.repeat(11), 'x'.repeat(201), '\u{1f40e}'.repeat(11)]) {
    assert.throws(() => assertPassword(wrong), { code: 'VALIDATION_ERROR' })
  }
})
