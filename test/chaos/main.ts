/** Runs the service for a while under load and faults, and says what came of it. */
import { parseArgs } from 'node:util'
import { createRandom } from './random.ts'
import { printReport } from './report.ts'
import { runChaos } from './run.ts'
import { drawSchedule, quickSchedule } from './schedule.ts'

const usage = `Breaks a running service and compares all books.

  npm run chaos -- --minutes 10 --seed 7    so long, with the faults of that seed
  npm run chaos -- --quick                  a handful of each kind, on fewer processes
  --customers 12                            how many send requests at once
  --keep                                    leaves the database and the logs there`

const interruptedCode = 130

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      customers: { type: 'string' },
      quick: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { quick, keep: keeps } = values
  const numbers = [values.minutes, values.seed, values.customers ?? (quick ? 6 : 12)].map(Number)
  if (values.help || !numbers.every((number) => number > 0)) {
    console.log(usage)
    process.exit(values.help ? 0 : 1)
  }
  const [minutes, seed, customers] = numbers as [number, number, number]
  return { minutes, seed, customers, quick, keeps }
}

/** Where there is no time, the leases of killed workers are not waited for. */
const extents = {
  quick: { members: { api: 2, worker: 2 }, merchants: 2, settleLimitMs: 90_000, endsLeases: true },
  long: { members: { api: 3, worker: 3 }, merchants: 4, settleLimitMs: 240_000, endsLeases: false },
}

async function main(signal: AbortSignal): Promise<number> {
  const { minutes, seed, customers, quick, keeps } = readOptions()
  const [asked, faults] = quick
    ? ['--quick', quickSchedule(createRandom(seed))]
    : [`--minutes ${minutes}`, drawSchedule(createRandom(seed), minutes * 60_000)]
  console.log(`${faults.length} faults. Again: npm run chaos -- ${asked} --seed ${seed}`)
  try {
    const report = await runChaos({
      ...{ seed, customers, keeps, schedule: faults, signal, print: console.log },
      ...{ pauseMs: 200, ...extents[quick ? 'quick' : 'long'] },
    })
    printReport(report, console.log)
    return report.violations.length > 0 ? 1 : 0
  } catch (error) {
    if (!signal.aborted) throw error
    console.log('Interrupted: everything is ended, and nothing was compared.')
    return interruptedCode
  }
}

const abort = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => abort.abort())
}
// Everything is ended by then. A connection of a caller that nobody closed must not keep us.
process.exit(await main(abort.signal))
