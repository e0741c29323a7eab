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

/** The first key seals; the others still open what they sealed. */
export function createSeal(masterKeys: readonly Buffer[]): Seal {
  const keys = masterKeys.map((key) => ({
    key,
    id: createHash('sha256')
      .update('malipo master key')
      .update(key)
      .digest()
      .subarray(0, keyIdBytes),
  }))
  const current = keys[0]
  if (current === undefined) throw new Error('a seal needs a master key')
  return {
    seal(secret, purpose) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, current.key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([current.id, iv, cipher.getAuthTag(), body])
    },
    open(sealedBytes, purpose) {
      const sealed = Buffer.from(sealedBytes)
      const match = keys.find(({ id }) => id.equals(sealed.subarray(0, keyIdBytes)))
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
