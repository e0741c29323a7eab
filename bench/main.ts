import { rm, writeFile } from 'node:fs/promises'
import { cpus, totalmem, type } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findEmbeddedServer, startEmbeddedServer } from '../src/db/embedded-server.ts'
import { migrate } from '../src/db/migrate.ts'
import { connect } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'
import { tempFolder } from '../test/harness.ts'
import { chartOf } from './chart.ts'
import { groupCommitBench } from './group-commit.ts'
import { growthBench } from './growth.ts'
import { addHistory } from './history.ts'
import {
  assertLedger,
  ceilingRequests,
  httpBench,
  latencyBench,
  memoryBench,
  type Options,
  payoutRequests,
} from './http.ts'
import { pgbench } from './pgbench.ts'
import { compared, type Figure, figureTable, isMissed } from './report.ts'
import { startBench } from './start.ts'
import { deliveryBench } from './webhooks.ts'
import { wholeWayBench } from './whole-way.ts'
import { makeLogFiles, startWorld } from './world.ts'

/**
 * Measures in one run, because only then do ratios mean something: these figures say how much
 * faster one way is than another on the same machine in the same minutes, not how fast it is.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const sizes = values.quick
  ? {
      ...{ secondsPerRound: 0.5, longSeconds: 5, history: 20_000, connections: [256] },
      pgbench: { seconds: 1, clientCounts: [8] },
    }
  : {
      ...{ secondsPerRound: 1.5, longSeconds: 60, history: 5_000_000, connections: [64, 256] },
      pgbench: { seconds: 2, clientCounts: [4, 8, 16] },
    }
const options: Options = { rounds: 3, secondsPerRound: sizes.secondsPerRound }
const startedMs = performance.now()

const say = (sentence: string) => {
  const seconds = Math.floor((performance.now() - startedMs) / 1000)
  process.stderr.write(`${String(seconds).padStart(4)} s  ${sentence}\n`)
}

/** The ledger and the webhooks by themselves, without HTTP in front. */
async function partsBench(): Promise<Figure[]> {
  const dataDir = await tempFolder()
  const server = await startEmbeddedServer({ dataDir })
  const db = connect(server.url, { maxConnections: 40 })
  try {
    await migrate(db)
    await makeLogFiles(db)
    const figures = [
      ...(await groupCommitBench(db, options)),
      ...(await deliveryBench(db, options)),
    ]
    const { problems } = await checkLedger(db)
    if (problems.length > 0) throw new Error(`the ledger is wrong: ${problems.join('; ')}`)
    return figures
  } finally {
    await db.end({ timeout: 5 })
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function serviceBench(): Promise<Figure[]> {
  const figures: Figure[] = []
  const accounts = 1000
  const [empty, full, lone] = await Promise.all([
    startWorld({ accounts, role: 'api' }),
    startWorld({ accounts, role: 'api' }),
    // The quick run leaves it out: the figures of the ledger by itself show the same.
    values.quick
      ? undefined
      : startWorld({ accounts, role: 'api', settings: { MALIPO_GROUP_COMMIT_MAX_BATCH: '1' } }),
  ])
  try {
    say('writing the history')
    await addHistory(full.db, sizes.history)
    for (const requests of [ceilingRequests(empty), payoutRequests(empty)]) {
      await empty.load({ connections: 64, seconds: 2, requests })
    }
    for (const connections of sizes.connections) {
      say(`requests over ${connections} connections`)
      const isFirst = connections === sizes.connections[0]
      const worlds = isFirst && lone ? { empty, lone, full } : { empty, full }
      figures.push(...(await httpBench(worlds, options, connections)))
    }
    const [ceiling, payouts] = figures as [Figure, Figure]
    say('latency')
    figures.push(...(await latencyBench(empty, options, payouts.value)))
    say('memory')
    figures.push(...(await memoryBench(full, full.rssMb, sizes.longSeconds)))
    say('lists and payouts where much is stored')
    figures.push(...(await growthBench(empty, full, options, ceiling)))
    say('pgbench')
    const url = (await findEmbeddedServer(empty.dataDir))!
    const tpcb = await pgbench(empty.db, url, { rounds: options.rounds, ...sizes.pgbench })
    // The best of both: pgbench may choose its number of clients too.
    const best = figures
      .filter(({ number }) => number === '2')
      .reduce((a, b) => (a.value > b.value ? a : b))
    if (tpcb) figures.push(tpcb, { ...compared(best, tpcb, 2), number: '10' })
    else say('pgbench is not found here: left out')
    for (const world of [empty, full, lone]) if (world) await assertLedger(world)
  } finally {
    await Promise.all([empty.stop({ keep: true }), full.stop(), lone?.stop()])
  }
  say('the whole way')
  const ceiling = figures[0]!
  figures.push(...(await wholeWayBench(ceiling, sizes.longSeconds)))
  say('start')
  figures.push(...(await startBench(empty.dataDir, values.quick ? 1 : options.rounds)))
  await rm(empty.dataDir, { recursive: true, force: true })
  return figures
}

const about = [
  `Node ${process.version}, PostgreSQL 18 (embedded, durable commits), ${type()},`,
  `${cpus().length} cores, ${Math.floor(totalmem() / 2 ** 30)} GiB, ${process.arch}.`,
  `Medians of ${options.rounds} interleaved rounds of ${options.secondsPerRound} s.`,
].join(' ')

say('ledger and webhooks by themselves')
const parts = await partsBench()
const figures = [...(await serviceBench()), ...parts]
const table = figureTable(figures)
process.stdout.write(`${about}\n\n${table}\n\n`)
const missed = figures.filter(isMissed)
for (const { name } of missed) process.stdout.write(`Missed: ${name}.\n`)
if (!values.quick) await writeResults()
say(missed.length === 0 ? 'all targets are met, and the ledgers are right' : 'targets are missed')
process.exitCode = missed.length > 0 ? 1 : 0

async function writeResults(): Promise<void> {
  const place = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  await writeFile(place('results.svg'), chartOf(figures))
  const text = [
    '# What `npm run bench` measured',
    `${about} Everything runs on this one machine: the service, PostgreSQL, the clients that load`,
    'it and the receiver of its webhooks. Read the ratios; the figures are those of the machine.',
    '',
    table,
    '',
    '![Work done in a second](results.svg)',
    '',
    'What limits it, and what would be next:',
    '[docs/operating/performance.md](../docs/operating/performance.md).',
    '',
  ]
  await writeFile(place('results.md'), `${text[0]}\n\n${text.slice(1).join('\n')}`)
}
