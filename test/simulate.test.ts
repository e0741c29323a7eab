import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { planted } from './simulate/planted.ts'
import { openSeries } from './simulate/seeds.ts'

/** The short version of `npm run simulate`, and the proof that it finds what it looks for. */

const steps = 100
const seeds = [3, 14, 159]
const maxSeedsUntilFound = 8
const series = await openSeries()
after(series.end)

for (const seed of seeds) {
  test(`nothing is lost, doubled or mixed up with seed ${seed}`, async () => {
    const { problems, counts } = await series.run({ seed, steps })
    assert.deepEqual(problems, [], `npm run simulate -- --seed ${seed} --steps ${steps}`)
    assert.ok(counts.accepted > 0 && counts.deliveries > 0, 'something happened at all')
    assert.ok(Object.keys(counts.faults).length > 5, 'with faults of many kinds')
  })
}

test('the same seed is the same run', async () => {
  const one = await series.run({ seed: 26, steps: 60 })
  const other = await series.run({ seed: 26, steps: 60 })
  assert.deepEqual(other.trace, one.trace)
  assert.deepEqual(other.counts, one.counts)
})

for (const { title, bugs, found, from } of planted) {
  test(`the simulation finds ${title}`, async (t) => {
    for (let seed = from; seed < from + maxSeedsUntilFound; seed++) {
      const { problems } = await series.run({ seed, steps, bugs })
      if (problems.length === 0) continue
      assert.match(problems.join('\n'), found)
      t.diagnostic(`with seed ${seed}: ${problems[0]}`)
      return
    }
    assert.fail(`${maxSeedsUntilFound} seeds passed`)
  })
}
