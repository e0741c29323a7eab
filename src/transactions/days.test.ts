import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { createIds } from '../ids.ts'
import { type Days, idRange } from './days.ts'

const isIn = (iso: string, days: Days, timeZone: string): boolean => {
  const { from, to } = idRange(days, timeZone)
  // The first and the last slot: no id of a moment lies outside because of where it lives.
  const ids = createIds(manualClock(Date.parse(iso)))
  const inside = [0, 255].map((slot) => ids.next(slot)).map((id) => from <= id && id < to)
  assert.equal(inside[0], inside[1])
  return inside[0]!
}

test('both days count from their first to their last moment, in the zone', () => {
  const days = { startDate: '2026-03-01', endDate: '2026-03-02' }
  assert.equal(isIn('2026-02-28T23:59:59.999Z', days, 'UTC'), false)
  assert.equal(isIn('2026-03-01T00:00:00.000Z', days, 'UTC'), true)
  assert.equal(isIn('2026-03-02T23:59:59.999Z', days, 'UTC'), true)
  assert.equal(isIn('2026-03-03T00:00:00.000Z', days, 'UTC'), false)
  assert.equal(isIn('2026-02-28T20:59:59.999Z', days, 'Africa/Nairobi'), false)
  assert.equal(isIn('2026-02-28T21:00:00.000Z', days, 'Africa/Nairobi'), true)
  assert.equal(isIn('2026-03-02T20:59:59.999Z', days, 'Africa/Nairobi'), true)
  assert.equal(isIn('2026-03-02T21:00:00.000Z', days, 'Africa/Nairobi'), false)
})

test('a day without midnight starts when it starts', () => {
  // Clocks in Cairo went from 00:00 to 01:00 on this day.
  const day = { startDate: '2026-04-24', endDate: '2026-04-24' }
  assert.equal(isIn('2026-04-23T21:59:59.999Z', day, 'Africa/Cairo'), false)
  assert.equal(isIn('2026-04-23T22:00:00.000Z', day, 'Africa/Cairo'), true)
  assert.equal(isIn('2026-04-24T20:59:59.999Z', day, 'Africa/Cairo'), true)
  assert.equal(isIn('2026-04-24T21:00:00.000Z', day, 'Africa/Cairo'), false)
})

test('an end that is not given is open', () => {
  for (const days of [{}, { startDate: '0001-01-01' }, { endDate: '9999-12-31' }]) {
    assert.equal(isIn('1970-01-01T00:00:00.001Z', days, 'Pacific/Kiritimati'), true)
    assert.equal(isIn('2500-01-01T00:00:00.000Z', days, 'Pacific/Kiritimati'), true)
  }
})

test('what is no day, or an end before the start, is refused', () => {
  const refused: Days[] = [
    { startDate: '' },
    { startDate: '2026-02-30' },
    { startDate: '2026-13-01' },
    { endDate: '2026-1-1' },
    { endDate: '20260101' },
    { endDate: '2026-01-01T00:00' },
    { endDate: 'today' },
    { startDate: '2026-01-02', endDate: '2026-01-01' },
  ]
  for (const days of refused) {
    assert.throws(
      () => idRange(days, 'UTC'),
      (error) => error instanceof AppError && error.code === 'VALIDATION_ERROR',
    )
  }
})
