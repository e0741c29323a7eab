import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Seal } from '../seal.ts'

/** The keys tokens are signed with. The newest signs; older ones still verify their last tokens. */
export type SigningKeys = {
  current(): Promise<SigningKey>
  byId(id: string): Promise<SigningKey | undefined>
}

export type SigningKey = { id: string; secret: Buffer; createdAt: Date }

const purpose = 'token signing key'
const rotateAfterDays = 30
/** Longer than any token lives, so that no token loses its key. */
const keepAfterRetiredDays = 1
const refreshMs = 60_000
const unknownKeyPauseMs = 250

type Row = { id: string; secret: Buffer; createdAt: Date; signs: boolean }

export function createSigningKeys(db: Db, seal: Seal): SigningKeys {
  let known = new Map<string, SigningKey & { signs: boolean }>()
  let loadedMs = Number.NEGATIVE_INFINITY
  let reloading: Promise<void> | undefined

  async function load(): Promise<void> {
    const rows = await db<Row[]>`
      select id, secret_sealed as secret, created_at as "createdAt",
        retired_at is null and created_at > now() - ${rotateAfterDays} * interval '1 day' as signs
      from signing_keys
      where retired_at is null or retired_at > now() - ${keepAfterRetiredDays} * interval '1 day'
      order by created_at desc, id`
    known = new Map(
      rows.map((row) => [row.id, { ...row, secret: seal.open(row.secret, purpose) }] as const),
    )
    loadedMs = performance.now()
  }

  /**
   * Strangers can send any key id. However many do, the keys are read once in a pause, for all of
   * them; those who ask when the reading has begun wait for the next.
   */
  function reload(): Promise<void> {
    const pauseMs = Math.max(0, loadedMs + unknownKeyPauseMs - performance.now())
    reloading ??= delay(pauseMs).then(() => {
      reloading = undefined
      return load()
    })
    return reloading
  }

  const signing = () => [...known.values()].find(({ signs }) => signs)

  return {
    async current() {
      if (performance.now() - loadedMs > refreshMs) await load()
      if (!signing()) {
        await rotateSigningKey(db, seal)
        await load()
      }
      return signing()!
    },
    async byId(id) {
      if (!known.has(id)) await reload()
      return known.get(id)
    },
  }
}

/** Makes a new key where the newest is old; of several nodes that try at once one makes it. */
export function rotateSigningKey(db: Db, seal: Seal, force = false): Promise<void> {
  return transaction(db, async (tx) => {
    await tx`lock table signing_keys in exclusive mode`
    const [fresh] = await tx`
      select id from signing_keys
      where retired_at is null and created_at > now() - ${rotateAfterDays} * interval '1 day'`
    if (fresh && !force) return
    await tx`update signing_keys set retired_at = now() where retired_at is null`
    const id = `key_${randomBytes(9).toString('base64url')}`
    await tx`
      insert into signing_keys (id, secret_sealed)
      values (${id}, ${seal.seal(randomBytes(32), purpose)})`
  })
}
