import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * Encrypts secrets that must be stored and read again. The purpose is bound to the sealed value,
 * so one sealed for one use cannot be put in the place of another.
 */
export type Seal = {
  seal(secret: Uint8Array, purpose: string): Buffer
  open(sealed: Uint8Array, purpose: string): Buffer
}

const algorithm = 'aes-256-gcm'
const keyIdBytes = 4
const ivBytes = 12
const tagBytes = 16

/** Names a key without telling anything of it. */
export function masterKeyId(masterKey: Buffer): Buffer {
  return createHash('sha256')
    .update('malipo master key')
    .update(masterKey)
    .digest()
    .subarray(0, keyIdBytes)
}

/** The id of the key that opens a sealed value. */
export function keyIdOf(sealed: Uint8Array): Buffer {
  return Buffer.from(sealed).subarray(0, keyIdBytes)
}

/**
 * The first key seals; the others still open what they sealed. Keys that may change while the
 * service runs are given as a function, which is asked at each sealing and for unknown keys.
 */
export function createSeal(masterKeys: readonly Buffer[] | (() => readonly Buffer[])): Seal {
  const read = typeof masterKeys === 'function' ? masterKeys : () => masterKeys
  let keys = identified(read())
  const find = (id: Buffer) => keys.find((key) => key.id.equals(id))
  return {
    seal(secret, purpose) {
      keys = identified(read())
      const current = keys[0]!
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, current.key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([current.id, iv, cipher.getAuthTag(), body])
    },
    open(sealedBytes, purpose) {
      const sealed = Buffer.from(sealedBytes)
      const id = keyIdOf(sealed)
      if (find(id) === undefined) keys = identified(read())
      const match = find(id)
      if (match === undefined) throw new Error('sealed with a master key that is not configured')
      const iv = sealed.subarray(keyIdBytes, keyIdBytes + ivBytes)
      const tag = sealed.subarray(keyIdBytes + ivBytes, keyIdBytes + ivBytes + tagBytes)
      const body = sealed.subarray(keyIdBytes + ivBytes + tagBytes)
      const decipher = createDecipheriv(algorithm, match.key, iv)
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag)
      return Buffer.concat([decipher.update(body), decipher.final()])
    },
  }
}

function identified(masterKeys: readonly Buffer[]): { key: Buffer; id: Buffer }[] {
  if (masterKeys.length === 0) throw new Error('a seal needs a master key')
  return masterKeys.map((key) => ({ key, id: masterKeyId(key) }))
}
