import { rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { startEmbeddedServer } from '../src/db/embedded-server.ts'
import { migrate } from '../src/db/migrate.ts'
import { connect } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'
import { tempFolder } from '../test/harness.ts'
import { groupCommitBench } from './group-commit.ts'
import { httpBench } from './http.ts'
import { type Figure, ratioTable } from './report.ts'
import { deliveryBench } from './webhooks.ts'

/**
 * Measures in one run, because only then do ratios mean something: these figures say how much
 * faster one way is than another on the same machine in the same minute, not how fast it is.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const secondsPerRound = values.quick ? 1.5 : 5
const rounds = 3
const connections = 64

const dataDir = await tempFolder()
const server = await startEmbeddedServer({ dataDir })
const db = connect(server.url, { maxConnections: 40 })
let problems: string[] = []
let figures: Figure[] = []
try {
  await migrate(db)
  process.stdout.write(`Node ${process.version}, PostgreSQL 18, ${cpus().length} cores, `)
  process.stdout.write(`medians of ${rounds} rounds of ${secondsPerRound} s\n\n`)
  figures = [
    ...(await groupCommitBench(db, { rounds, secondsPerRound })),
    ...(await deliveryBench(db, { rounds, secondsPerRound })),
  ]
  problems = (await checkLedger(db)).problems
} finally {
  await db.end({ timeout: 5 })
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
// The service brings a database of its own.
figures.push(...(await httpBench({ rounds, secondsPerRound, connections })))

process.stdout.write(`${ratioTable(figures)}\n\n`)
const missed = figures.filter(({ target, ratio }) => target !== undefined && ratio! < target)
for (const { name, ratio, target } of missed) {
  process.stdout.write(`Missed: ${name} is ${ratio!.toPrecision(3)} times, the target ${target}.\n`)
}
for (const problem of problems) process.stdout.write(`The ledger is wrong: ${problem}\n`)
if (problems.length === 0) process.stdout.write('The ledger is right.\n')
process.exitCode = missed.length + problems.length > 0 ? 1 : 0
