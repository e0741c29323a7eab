import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../clock.ts'
import { createGate, type Gate } from './gate.ts'

function scene(limits = { concurrency: 10, perSecond: 100 }) {
  const clock = manualClock(1_000_000)
  return { clock, gate: createGate(limits, clock) }
}

function pass(gate: Gate, reached: boolean | undefined, times = 1): void {
  for (let time = 0; time < times; time++) {
    gate.start()
    gate.finish(reached)
  }
}

test('no more run at once than are allowed', () => {
  const { gate } = scene()
  for (let left = 10; left > 0; left--) {
    assert.equal(gate.room(), left)
    gate.start()
  }
  assert.equal(gate.room(), 0)
  gate.finish(true)
  assert.equal(gate.room(), 1)
})

test('no more start in a second than are allowed, and none are saved up', () => {
  const { clock, gate } = scene({ concurrency: 1000, perSecond: 20 })
  assert.equal(gate.room(), 20)
  pass(gate, true, 20)
  assert.equal(gate.room(), 0)
  clock.advance(500)
  assert.equal(gate.room(), 10)
  pass(gate, true, 10)
  clock.advance(49)
  assert.equal(gate.room(), 0)
  clock.advance(1)
  assert.equal(gate.room(), 1)
  clock.advance(3_600_000)
  assert.equal(gate.room(), 20)
})

test('a clock that goes back gives nothing for nothing', () => {
  const { clock, gate } = scene({ concurrency: 1000, perSecond: 20 })
  pass(gate, true, 20)
  clock.advance(-5000)
  assert.equal(gate.room(), 0)
})

test('after five refusals in a row nobody is let through for ten seconds', () => {
  const { clock, gate } = scene()
  pass(gate, false, 4)
  assert.equal(gate.isClosed(), false)
  pass(gate, true)
  pass(gate, false, 4)
  assert.equal(gate.isClosed(), false, 'an answer in between counts anew')
  pass(gate, false)
  assert.equal(gate.isClosed(), true)
  assert.equal(gate.room(), 0)
  clock.advance(9999)
  assert.equal(gate.room(), 0)
  clock.advance(1)
  assert.equal(gate.isClosed(), false)
})

test('after the pause one goes first; when it comes through, all may', () => {
  const { clock, gate } = scene()
  pass(gate, false, 5)
  clock.advance(10_000)
  assert.equal(gate.room(), 1)
  gate.start()
  assert.equal(gate.room(), 0, 'the others wait for the first')
  gate.finish(true)
  assert.equal(gate.room(), 10)
})

test('when the first after the pause is refused too, the pause begins again', () => {
  const { clock, gate } = scene()
  pass(gate, false, 5)
  clock.advance(10_000)
  pass(gate, false)
  assert.equal(gate.room(), 0)
  clock.advance(9999)
  assert.equal(gate.room(), 0)
  clock.advance(1)
  assert.equal(gate.room(), 1)
})

test('what is not clear neither closes the gate nor keeps it open', () => {
  const { gate } = scene()
  pass(gate, undefined, 20)
  assert.equal(gate.isClosed(), false)
  pass(gate, false, 3)
  pass(gate, undefined, 5)
  pass(gate, false, 2)
  assert.equal(gate.isClosed(), true)
})
