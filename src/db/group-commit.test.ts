import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMetrics } from '../metrics.ts'
import { createGroupCommit, groupCommitMeters } from './group-commit.ts'

const base = { maxBatch: 100, maxQueued: 1000 }

/** A commit that takes a moment and remembers its batches. */
function recorder(ms = 5) {
  const batches: number[][] = []
  return {
    batches,
    async commit(items: readonly number[]) {
      batches.push([...items])
      await sleep(ms)
      return items.map((item) => item * 2)
    },
  }
}

test('a lone request commits at once and gets its own answer', async () => {
  const { commit, batches } = recorder()
  const lane = createGroupCommit({ ...base, commit })
  assert.equal(await lane.submit(21), 42)
  assert.deepEqual(batches, [[21]])
})

test('requests that arrive during a commit share the next one, in their order', async () => {
  const { commit, batches } = recorder()
  const lane = createGroupCommit({ ...base, commit })
  const first = lane.submit(1)
  await sleep(2)
  const rest = Promise.all([2, 3, 4, 5].map(lane.submit))
  assert.equal(await first, 2)
  assert.deepEqual(await rest, [4, 6, 8, 10])
  assert.deepEqual(batches, [[1], [2, 3, 4, 5]])
})

test('no batch is larger than its limit', async () => {
  const { commit, batches } = recorder(0)
  const lane = createGroupCommit({ ...base, maxBatch: 3, commit })
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map(lane.submit))
  assert.deepEqual(
    batches.map(({ length }) => length),
    [3, 3, 1],
  )
})

test('by halves, callers who come back divide into two groups that take turns', async () => {
  const { commit, batches } = recorder()
  const lane = createGroupCommit({ ...base, byHalves: true, commit })
  const comeAgain = async (item: number) => {
    for (let times = 0; times < 6; times++) await lane.submit(item)
  }
  await Promise.all(Array.from({ length: 60 }, (_, item) => comeAgain(item)))
  const sizes = batches.map(({ length }) => length)
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    360,
  )
  assert.deepEqual(sizes.slice(0, 4), [30, 30, 30, 30])
})

test('a full queue refuses at once, and what was taken is still answered', async () => {
  const { commit } = recorder()
  const lane = createGroupCommit({ ...base, maxQueued: 2, commit })
  const taken = [lane.submit(1), lane.submit(2)]
  await assert.rejects(lane.submit(3), { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 })
  assert.deepEqual(await Promise.all(taken), [2, 4])
})

test('two items with one key never share a batch, and keep their order', async () => {
  const { commit, batches } = recorder(0)
  const lane = createGroupCommit({ ...base, commit, keyOf: (item: number) => String(item % 10) })
  await Promise.all([1, 11, 2, 21, 12].map(lane.submit))
  assert.deepEqual(batches, [[1, 2], [11, 12], [21]])
})

test('a bad item fails alone', async () => {
  const lane = createGroupCommit({
    ...base,
    commit: async (items: readonly number[]) => {
      if (items.includes(13)) throw Object.assign(new Error('no 13 here'), { code: '23514' })
      return items
    },
  })
  const results = await Promise.allSettled([11, 12, 13, 14].map(lane.submit))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a lost connection is tried once more, and then fails all alike', async () => {
  let tries = 0
  const away = Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
  const lane = createGroupCommit({
    ...base,
    commit: async (items: readonly number[]) => {
      tries++
      if (tries !== 2) throw away
      return items
    },
  })
  assert.deepEqual(await Promise.all([1, 2].map(lane.submit)), [1, 2])
  tries = 2
  const results = await Promise.allSettled([1, 2, 3].map(lane.submit))
  assert.ok(results.every(({ status }) => status === 'rejected'))
  assert.equal(tries, 4)
})

test('a deadlock is tried again', async () => {
  let tries = 0
  const lane = createGroupCommit({
    ...base,
    commit: async (items: readonly number[]) => {
      if (++tries < 3) throw Object.assign(new Error('deadlock'), { code: '40P01' })
      return items
    },
  })
  assert.equal(await lane.submit(1), 1)
})

test('a close answers what was taken and refuses what comes after', async () => {
  const { commit } = recorder()
  const lane = createGroupCommit({ ...base, commit })
  const taken = [1, 2, 3].map(lane.submit)
  const closing = lane.close()
  await assert.rejects(lane.submit(4), { code: 'SERVICE_UNAVAILABLE' })
  await closing
  assert.deepEqual(await Promise.all(taken), [2, 4, 6])
})

test('batch size, wait, commit time and failures are measured', async () => {
  const metrics = createMetrics()
  const meter = groupCommitMeters(metrics)('transfers')
  const lane = createGroupCommit({ ...base, commit: recorder(0).commit, meter })
  await Promise.all([1, 2, 3].map(lane.submit))
  const text = await metrics.metrics()
  assert.match(text, /malipo_group_commit_batch_size_sum\{kind="transfers"\} 3/)
  assert.match(text, /malipo_group_commit_wait_seconds_count\{kind="transfers"\} 3/)
  assert.match(text, /malipo_group_commit_seconds_count\{kind="transfers"\} 1/)
  assert.match(text, /malipo_group_commit_faults_total\{kind="transfers"\} 0/)
  const broken = async () => {
    throw new Error('broken')
  }
  const failing = createGroupCommit({ ...base, commit: broken, meter })
  await Promise.allSettled([1, 2].map(failing.submit))
  assert.match(await metrics.metrics(), /malipo_group_commit_faults_total\{kind="transfers"\} 2/)
})
