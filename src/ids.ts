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
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
const tails = Array.from({ length: slotCount }, (_, slot) => hex(slot, 4))
const variants = ['8', '9', 'a', 'b']

export function createIds(clock: Clock): Ids {
  let pool = randomBytes(poolBytes)
  let poolText = pool.toString('hex')
  let used = 0
  let lastMs = 0
  let time = ''
  let counter = 0

  // Ids made within one millisecond count up, so that arrival order is kept in the id.
  function tick(): void {
    const nowMs = clock.now()
    if (nowMs > lastMs) {
      setTime(nowMs)
      counter = pool[used]! & 0x7f
    } else if (++counter > 0xfff) {
      setTime(lastMs + 1)
      counter = 0
    }
  }

  // Many are made within one millisecond: the text of the time is made once for all of them.
  function setTime(ms: number): void {
    lastMs = ms
    const text = hex(ms, 12)
    time = `${text.slice(0, 8)}-${text.slice(8)}`
  }

  return {
    next(slot) {
      if (!Number.isInteger(slot) || slot < 0 || slot >= slotCount) {
        throw new RangeError(`slot ${slot} is not between 0 and ${slotCount - 1}`)
      }
      if (used + bytesPerId > poolBytes) {
        pool = randomBytes(poolBytes)
        poolText = pool.toString('hex')
        used = 0
      }
      tick()
      const random = poolText.slice(used * 2, (used + bytesPerId) * 2)
      const variant = variants[pool[used]! >> 6]
      used += bytesPerId
      const middle = `7${hex(counter, 3)}-${variant}${random.slice(1, 4)}`
      return `${time}-${middle}-${random.slice(4)}${tails[slot]}`
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
