/** Sends requests of every kind to a service of its own: `npm run fuzz -- --requests 100000`. */
import { inspect, parseArgs } from 'node:util'
import { bytesOf } from './message.ts'
import { type FuzzReport, runFuzz } from './run.ts'

const usage = `Sends valid, nearly valid and absurd requests to every operation.

  npm run fuzz -- --requests 100000 --seed 7    so many, those of that seed
  npm run fuzz -- --seed 7 --only 4711          one of them, shown with its answer
  --from 50000                                  begins with that one`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    from: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h' },
  },
})
const [requests, seed, from] = [+values.requests, +values.seed, +values.from] as const
const only = values.only === undefined ? undefined : Number(values.only)
const isWhole = [requests, seed, from, only ?? 0].every(
  (each) => Number.isSafeInteger(each) && each >= 0,
)
if (values.help || !isWhole) {
  console.log(usage)
  process.exit(values.help ? 0 : 1)
}

const shownBytes = 4000
console.log(`Seed ${seed}. Again: npm run fuzz -- --seed ${seed} --requests ${requests}`)
const report = await runFuzz({
  seed,
  ...(only === undefined ? { from, to: from + requests } : { from: only, to: only + 1 }),
  onProgress: (sent) => console.log(`  ${sent} sent`),
  onAnswer(drawn, answer) {
    if (only === undefined) return
    console.log(bytesOf(drawn.message).toString('latin1').slice(0, shownBytes))
    const body = typeof answer === 'string' ? '' : answer.body.toString('utf8')
    console.log(inspect(answer, { depth: 3 }), body.slice(0, shownBytes))
  },
})
show(report)
process.exitCode = report.findings.length + report.aftermath.length > 0 ? 1 : 0

function show({ findings, aftermath, statuses, manners, vitals, neverDone, ...rest }: FuzzReport) {
  for (const { index, about, problems } of findings) {
    console.log(
      `${about}: ${problems.join('; ')}\n  npm run fuzz -- --seed ${seed} --only ${index}`,
    )
  }
  for (const line of aftermath) console.log(line)
  const mebibyte = 1024 * 1024
  const figures = {
    ...{ ...rest, statuses, manners, findings: findings.length, aftermath: aftermath.length },
    'memory at most, MiB': Math.ceil(Math.max(...vitals.rssBytes) / mebibyte),
    'memory at the end, MiB': Math.ceil(vitals.rssBytes.at(-1)! / mebibyte),
    'event loop held p99, ms': Math.ceil(vitals.busyP99Ms),
    'event loop held at most, ms': Math.ceil(vitals.busyMaxMs),
    'event loop delay p99, ms': Math.ceil(vitals.delayP99Ms),
    'operations never done': neverDone,
  }
  for (const [name, value] of Object.entries(figures)) console.log(name.padEnd(30), value)
}
