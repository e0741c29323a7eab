import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLanes } from './lanes.ts'

function lanesOf(maxPerReceiver: number, maxInFlight: number) {
  const running: { item: string; free(isFit: boolean): void; end(): void }[] = []
  const lanes = createLanes<string>({
    maxPerReceiver,
    maxInFlight,
    onRoom: () => {},
    run: (item, free) =>
      new Promise((resolve) => {
        running.push({ item, free, end: resolve })
      }),
  })
  return { lanes, running }
}

test('a receiver gets so many at once, more while it answers and fewer when it does not', async () => {
  const { lanes, running } = lanesOf(10, 1000)
  for (let n = 0; n < 40; n++) lanes.add('a', `a${n}`)
  assert.equal(running.length, 8)
  running[0]!.free(true)
  assert.equal(running.length, 10, 'one for the one that ended and one more')
  for (const each of running.slice(1, 4)) each.free(false)
  assert.equal(lanes.inFlight(), 6)
  assert.equal(running.length, 10, 'three times halved: none is added')
})

test('what one receiver holds is not missing to another, up to the limit for all', () => {
  const { lanes, running } = lanesOf(8, 12)
  for (let n = 0; n < 20; n++) lanes.add('slow', `slow${n}`)
  for (let n = 0; n < 20; n++) lanes.add('fast', `fast${n}`)
  assert.deepEqual(
    running.slice(8).map(({ item }) => item),
    ['fast0', 'fast1', 'fast2', 'fast3'],
  )
  running[8]!.free(true)
  assert.equal(lanes.inFlight(), 12)
  assert.ok(running.length === 13)
})

test('room counts what is in hand until all about it is done', async () => {
  const { lanes, running } = lanesOf(1, 1000)
  const room = lanes.room('a')
  assert.ok(room > 2)
  lanes.add('a', 'first')
  lanes.add('a', 'second')
  assert.equal(lanes.room('a'), room - 2)
  running[0]!.free(true)
  assert.deepEqual([running.length, lanes.room('a')], [2, room - 2])
  running[0]!.end()
  await sleep(1)
  assert.equal(lanes.room('a'), room - 1)
  lanes.add('a', 'third')
  assert.deepEqual(lanes.empty(), ['third'])
  running[1]!.end()
  await lanes.idle()
  assert.equal(lanes.room('a'), room)
})
