import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { createLogTo, type Log } from '../log.ts'
import { startLoop } from './loop.ts'

/** Time that stands still until a test moves it, and a log that can be read. */
function scene(t: TestContext): { log: Log; lines: () => { msg: string; faults: number }[] } {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const written: string[] = []
  const log = createLogTo({ write: (line) => void written.push(line) }, 'trace')
  return { log, lines: () => written.map((line) => JSON.parse(line)) }
}

/** Lets everything that waits for a promise go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  await settle()
}

test('a loop runs at once and then again after each pause', async (t) => {
  const { log } = scene(t)
  let runs = 0
  const loop = startLoop({ name: 'count', everyMs: 1000, log }, async () => void runs++)
  assert.equal(runs, 0)
  await pass(0)
  assert.equal(runs, 1)
  await pass(999)
  assert.equal(runs, 1)
  await pass(1)
  assert.equal(runs, 2)
  await loop.stop()
})

test('a run that takes long is never joined by a second one', async (t) => {
  const { log } = scene(t)
  let [running, most, runs] = [0, 0, 0]
  let finish = (): void => {}
  const loop = startLoop({ name: 'slow', everyMs: 10, log }, async () => {
    runs++
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    running--
  })
  await pass(0)
  loop.wake()
  await pass(1000)
  assert.equal(runs, 1)
  finish()
  await settle()
  // Work that was announced during the run is not left for the next pause.
  await pass(0)
  assert.equal(runs, 2)
  assert.equal(most, 1)
  finish()
  await loop.stop()
})

test('waking a loop makes it run now, once, however often it is woken', async (t) => {
  const { log } = scene(t)
  let runs = 0
  const loop = startLoop({ name: 'woken', everyMs: 60_000, log }, async () => void runs++)
  await pass(0)
  for (let i = 0; i < 10; i++) loop.wake()
  await pass(0)
  assert.equal(runs, 2)
  await pass(59_999)
  assert.equal(runs, 2)
  await pass(1)
  assert.equal(runs, 3)
  await loop.stop()
})

test('a fault is logged and tried again, after pauses that grow to a minute at most', async (t) => {
  const { log, lines } = scene(t)
  let [runs, broken] = [0, true]
  const loop = startLoop({ name: 'broken', everyMs: 10_000, log }, async () => {
    runs++
    if (broken) throw new Error('no luck')
  })
  await pass(0)
  for (const pauseMs of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    const before = runs
    await pass(pauseMs - 1)
    assert.equal(runs, before)
    await pass(1)
    assert.equal(runs, before + 1)
  }
  assert.equal(lines().length, 6)
  assert.equal(lines().at(-1)?.faults, 6)
  broken = false
  await pass(60_000)
  const healed = runs
  await pass(10_000)
  assert.equal(runs, healed + 1)
  await loop.stop()
})

test('a stop waits for the run that is under way and lets no other begin', async (t) => {
  const { log } = scene(t)
  let [runs, finished] = [0, false]
  let finish = (): void => {}
  const loop = startLoop({ name: 'stopped', everyMs: 10, log }, async () => {
    runs++
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    finished = true
  })
  await pass(0)
  const stopping = loop.stop().then(() => assert.equal(finished, true))
  loop.wake()
  finish()
  await stopping
  loop.wake()
  await pass(10_000)
  assert.equal(runs, 1)
})

test('a loop that is stopped before its first run never runs', async (t) => {
  const { log } = scene(t)
  let runs = 0
  const loop = startLoop({ name: 'never', everyMs: 10, log }, async () => void runs++)
  await loop.stop()
  loop.wake()
  await pass(10_000)
  assert.equal(runs, 0)
})
