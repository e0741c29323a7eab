import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from './seal.ts'

const oldKey = Buffer.alloc(32, 1)
const newKey = Buffer.alloc(32, 2)
const secret = Buffer.from('whsec_something')

test('what was sealed opens with the same key and purpose only', () => {
  const seal = createSeal([oldKey])
  const sealed = seal.seal(secret, 'webhook')
  assert.deepEqual(seal.open(sealed, 'webhook'), secret)
  assert.throws(() => seal.open(sealed, 'signing key'))
  assert.throws(() => createSeal([newKey]).open(sealed, 'webhook'), /not configured/)
  assert.ok(!sealed.includes(secret))
})

test('a changed byte anywhere is refused', () => {
  const seal = createSeal([oldKey])
  const sealed = seal.seal(secret, 'webhook')
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed)
    changed[i]! ^= 1
    assert.throws(() => seal.open(changed, 'webhook'), `byte ${i}`)
  }
})

test('after a rotation the old values still open and new ones use the new key', () => {
  const before = createSeal([oldKey]).seal(secret, 'webhook')
  const rotated = createSeal([newKey, oldKey])
  assert.deepEqual(rotated.open(before, 'webhook'), secret)
  const after = rotated.seal(secret, 'webhook')
  assert.deepEqual(createSeal([newKey]).open(after, 'webhook'), secret)
})
