import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

/**
 * Ids are UUIDs of version 7 whose last two bytes are the slot of the account they belong to: they
 * sort by time, and an id alone says where its record lives.
 */
export type Ids = { next(slot: number): string }

export const slotCount = 256
const poolBytes = 4096
const bytesPerId = 6

export function createIds(clock: Clock): Ids {
  let pool = randomBytes(poolBytes)
  let used = 0
  let lastMs = 0
  let counter = 0

  // Ids made within one millisecond count up, so that arrival order is kept in the id.
  function tick(): void {
    const nowMs = clock.now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = pool[used]! & 0x7f
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
  }

  return {
    next(slot) {
      if (!Number.isInteger(slot) || slot < 0 || slot >= slotCount) {
        throw new RangeError(`slot ${slot} is not between 0 and ${slotCount - 1}`)
      }
      if (used + bytesPerId > poolBytes) {
        pool = randomBytes(poolBytes)
        used = 0
      }
      tick()
      const time = lastMs.toString(16).padStart(12, '0')
      const high = (0x7000 | counter).toString(16)
      const variant = (0x8000 | (pool.readUInt16BE(used) & 0x3fff)).toString(16)
      const random = pool
        .readUInt32BE(used + 2)
        .toString(16)
        .padStart(8, '0')
      used += bytesPerId
      const tail = slot.toString(16).padStart(4, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${variant}-${random}${tail}`
    },
  }
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The slot in an id, or nothing where the text is not an id of ours. */
export function slotOf(id: string): number | undefined {
  if (!uuidShape.test(id)) return undefined
  const slot = Number.parseInt(id.slice(-4), 16)
  return slot < slotCount ? slot : undefined
}

export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
