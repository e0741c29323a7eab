/**
 * Loaded into the service before its own code: writes down how long its event loop is kept waiting
 * and how much memory it has, for whoever started it.
 */
import { writeFileSync } from 'node:fs'
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

const everyMs = 250
const lookEveryMs = 10
const nanosecondsPerMs = 1e6
const file = process.env.MALIPO_TEST_WATCH ?? ''
const delays = monitorEventLoopDelay({ resolution: lookEveryMs })
delays.enable()

/** What the thread worked between two looks: a machine that is busy elsewhere does not count. */
const stretches = createHistogram()
let worked = workedMicros()
setInterval(() => {
  const now = workedMicros()
  stretches.record(Math.max(1, Math.floor(now - worked)))
  worked = now
}, lookEveryMs).unref()

function workedMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

// What a start costs is not what is to be seen.
process.on('SIGUSR2', () => {
  delays.reset()
  stretches.reset()
})

setInterval(() => {
  const seen = {
    rssBytes: process.memoryUsage.rss(),
    busyP99Ms: stretches.percentile(99) / 1000,
    busyMaxMs: stretches.max / 1000,
    delayP99Ms: delays.percentile(99) / nanosecondsPerMs,
  }
  writeFileSync(file, `${JSON.stringify(seen)}\n`, { flag: 'a' })
}, everyMs).unref()
