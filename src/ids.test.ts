import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, systemClock } from './clock.ts'
import { createIds, slotOf, timeOf } from './ids.ts'

test('an id carries its slot and its time', () => {
  const clock = manualClock(1_790_000_000_123)
  const ids = createIds(clock)
  for (const slot of [0, 1, 17, 255]) {
    const id = ids.next(slot)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(slotOf(id), slot)
    assert.equal(timeOf(id), 1_790_000_000_123)
  }
})

test('ids of one process are unique and sort in the order they were made', () => {
  const ids = createIds(systemClock)
  const made = Array.from({ length: 50_000 }, (_, i) => ids.next(i % 256))
  assert.equal(new Set(made).size, made.length)
  assert.deepEqual(made, made.toSorted())
})

test('ids keep their order when the clock stands still or steps back', () => {
  const clock = manualClock(1_790_000_000_000)
  const ids = createIds(clock)
  const made: string[] = []
  for (let i = 0; i < 10_000; i++) {
    if (i % 100 === 0) clock.advance(i % 200 === 0 ? -5 : 1)
    made.push(ids.next(3))
  }
  assert.deepEqual(made, made.toSorted())
})

test('a text that is not an id of ours has no slot', () => {
  const ours = createIds(systemClock).next(9)
  const version4 = `${ours.slice(0, 14)}4${ours.slice(15)}`
  const slotTooHigh = `${ours.slice(0, -4)}0100`
  for (const text of ['', 'order-1', version4, slotTooHigh, `${ours} `, ours.toUpperCase()]) {
    assert.equal(slotOf(text), undefined, text)
  }
})

test('a slot outside 0 to 255 is refused', () => {
  const ids = createIds(systemClock)
  for (const slot of [-1, 256, 1.5, Number.NaN]) assert.throws(() => ids.next(slot), RangeError)
})
