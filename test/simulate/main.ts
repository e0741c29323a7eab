/** Runs the simulation for many seeds, or one: `npm run simulate -- --seeds 1000`. */
import { parseArgs } from 'node:util'
import { openSeries } from './seeds.ts'
import type { Counts } from './world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '100' },
    trace: { type: 'boolean', default: false },
  },
})

const from = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
const steps = Number(values.steps)
const isWhole = [from, count, steps].every((value) => Number.isSafeInteger(value) && value > 0)
if (!isWhole) throw new Error('--seed, --seeds, --from and --steps are whole numbers above zero.')

const series = await openSeries()
const total: Counts = {
  ...{ steps: 0, requests: 0, accepted: 0, checks: 0, deliveries: 0, faults: {} },
}
const failing: number[] = []
const startMs = performance.now()
const tellEvery = 50
for (let seed = from; seed < from + count; seed++) {
  const { counts, problems, trace, stories } = await series.run({ seed, steps })
  add(counts)
  if (values.trace) for (const line of trace) console.log(line)
  if (problems.length > 0) {
    failing.push(seed)
    for (const line of problems) console.log(`seed ${seed}: ${line}`)
    if (values.trace) for (const line of stories) console.log(line)
    console.log(`npm run simulate -- --seed ${seed} --steps ${steps}`)
  }
  const done = seed - from + 1
  if (done % tellEvery === 0) console.log(`${done} of ${count} seeds, ${failing.length} failed`)
}
await series.end()
show()
process.exitCode = failing.length > 0 ? 1 : 0

function add({ faults, ...counts }: Counts): void {
  for (const [name, value] of Object.entries(counts) as [keyof typeof counts, number][]) {
    total[name] += value
  }
  for (const [name, value] of Object.entries(faults)) {
    total.faults[name] = (total.faults[name] ?? 0) + value
  }
}

function show(): void {
  const { faults, ...counts } = total
  const faultCount = Object.values(faults).reduce((sum, value) => sum + value, 0)
  const seconds = Math.ceil((performance.now() - startMs) / 1000)
  console.log(`seeds ${count}, failed ${failing.length}, in ${seconds} s`)
  for (const [name, value] of Object.entries({ ...counts, faults: faultCount })) {
    console.log(`  ${name.padEnd(12)} ${value}`)
  }
  for (const [name, value] of Object.entries(faults).sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`    ${name.padEnd(44)} ${value}`)
  }
}
