import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Card } from '../rails/rail.ts'

/**
 * Some rails want the card again with a later step. Until then it is kept here: in the memory of
 * this process only, encrypted under a key that is never written down, and for minutes. Whoever
 * does not find it any more fails that step and nothing else.
 */
export type CardVault = {
  keep(chargeId: string, card: Card): void
  /** Hands the card out; it stays for a further step until it is dropped or its time is over. */
  find(chargeId: string): Card | null
  drop(chargeId: string): void
}

const keepMs = 10 * 60_000
const maxCards = 10_000
const algorithm = 'aes-256-gcm'

type Sealed = { iv: Buffer; tag: Buffer; body: Buffer }

export function createCardVault(): CardVault {
  const key = randomBytes(32)
  const cards = new LRUCache<string, Sealed>({ max: maxCards, ttl: keepMs, ttlAutopurge: true })
  return {
    keep(chargeId, card) {
      const iv = randomBytes(12)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(chargeId))
      const body = Buffer.concat([cipher.update(JSON.stringify(card)), cipher.final()])
      cards.set(chargeId, { iv, tag: cipher.getAuthTag(), body })
    },
    find(chargeId) {
      const sealed = cards.get(chargeId)
      if (!sealed) return null
      const decipher = createDecipheriv(algorithm, key, sealed.iv)
        .setAAD(Buffer.from(chargeId))
        .setAuthTag(sealed.tag)
      const text = Buffer.concat([decipher.update(sealed.body), decipher.final()]).toString('utf8')
      return JSON.parse(text) as Card
    },
    drop: (chargeId) => void cards.delete(chargeId),
  }
}
