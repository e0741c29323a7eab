import type { Clock } from '../../src/clock.ts'
import type { Ids } from '../../src/ids.ts'
import type { Random } from './random.ts'

const maxCount = 0xfff
const fourteenBits = 0x4000
const thirtyTwoBits = 2 ** 32

/** Ids like those of the service, but for the chance in them: it comes from the seed. */
export function seededIds(clock: Clock, random: Random): Ids {
  let lastMs = 0
  let count = 0
  return {
    next(slot) {
      const nowMs = clock.now()
      if (nowMs > lastMs) [lastMs, count] = [nowMs, 0]
      else if (++count > maxCount) [lastMs, count] = [lastMs + 1, 0]
      const time = hex(lastMs, 12)
      const variant = (0x8000 | random.int(fourteenBits)).toString(16)
      const tail = hex(random.int(thirtyTwoBits), 8) + hex(slot, 4)
      const high = (0x7000 | count).toString(16)
      return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${variant}-${tail}`
    },
  }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
