import { setTimeout as delay } from 'node:timers/promises'
import { checkLedger } from '../../src/ledger/check.ts'
import { type Cast, openCast } from './callers.ts'
import { type Connection, openConnection, type Silence, type WireAnswer } from './connection.ts'
import { type FuzzedService, startService, type Vitals } from './fuzzed-process.ts'
import { createJudge } from './judge.ts'
import { bytesOf } from './message.ts'
import { allOperations, type Operation, readDescription } from './operations.ts'
import { type Draw, type Drawn, drawRequest } from './requests.ts'
import { fillStock } from './stock.ts'

export type FuzzOptions = {
  seed: number
  /** The numbers of the requests that are sent: from, up to and without. */
  from: number
  to: number
  /** Sends no more after so long, however many are left. */
  limitMs?: number
  /** Told of every request, for whoever looks at a single one. */
  onAnswer?(drawn: Drawn, answer: WireAnswer | Silence): void
  onProgress?(sent: number): void
}

export type Finding = { index: number; about: string; problems: string[] }

export type FuzzReport = {
  requests: number
  seconds: number
  statuses: Record<string, number>
  manners: Record<string, number>
  tricks: number
  operations: number
  /** Operations that never did what they are for. */
  neverDone: string[]
  vitals: Vitals
  transfers: number
  findings: Finding[]
  /** What is wrong with the service after all that. */
  aftermath: string[]
}

const lanes = 8
const maxFindings = 50
const progressEvery = 5000
const requestsPerStage = 2000
/** An idle service has about 150 MiB; all that is kept for callers has a bound. */
export const maxRssBytes = 600 * 1024 * 1024
/** Work that keeps all others waiting for longer than this would be felt. */
export const maxBusyP99Ms = 100
const settleLimitMs = 30_000

type Tally = Pick<FuzzReport, 'statuses' | 'manners' | 'findings'> & {
  done: Set<string>
  tricks: Set<string>
}

/** Sends every request of the range to a service of its own, and says what came of it. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const service = await startService()
  let code: unknown
  try {
    const description = readDescription()
    const operations = allOperations(description)
    const stages = await openStages(service, { seed: options.seed, operations })
    const tally = newTally()
    service.measure()
    const startMs = performance.now()
    const judge = createJudge(description)
    await sendAll(options, stages, service, async (drawn, answer) => {
      options.onAnswer?.(drawn, answer)
      note(tally, drawn, answer, judge(drawn, answer))
    })
    const seconds = Math.ceil((performance.now() - startMs) / 1000)
    const { transfers, aftermath } = await lookAfter(service)
    const vitals = service.vitals()
    aftermath.push(...vitalFaults(vitals))
    code = await service.end()
    if (code !== 0) aftermath.push(`the service ended with ${code}`)
    return {
      ...{ requests: sum(tally.manners), seconds, vitals, transfers, aftermath },
      ...{ statuses: tally.statuses, manners: tally.manners, findings: tally.findings },
      ...{ tricks: tally.tricks.size, operations: operations.length },
      neverDone: neverDone(operations, tally),
    }
  } finally {
    if (code === undefined) await service.end()
  }
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

function newTally(): Tally {
  return { statuses: {}, manners: {}, findings: [], done: new Set(), tricks: new Set() }
}

type Stage = { draw: Draw; renew: Cast['renew'] }
type Stages = { now(): Stage; next(): Promise<void> }

/** One merchant after the other: of what the first has, requests take more and more away. */
async function openStages(
  service: FuzzedService,
  about: Pick<Draw, 'seed' | 'operations'>,
): Promise<Stages> {
  let round = 0
  const open = async (): Promise<Stage> => {
    const { callers, keys, renew } = await openCast(service, ++round)
    const ids = { ...(await fillStock(service.port, callers, round)), ...keys }
    return { draw: { ...about, ids, callers, host: `127.0.0.1:${service.port}` }, renew }
  }
  let stage = await open()
  return {
    now: () => stage,
    async next() {
      stage = await open()
    },
  }
}

type OnAnswer = (drawn: Drawn, answer: WireAnswer | Silence) => Promise<void>

/** Several lanes at once, each with a connection that is kept as long as it is good. */
async function sendAll(
  { from, to, limitMs = Number.POSITIVE_INFINITY, onProgress }: FuzzOptions,
  stages: Stages,
  { port, isRunning }: FuzzedService,
  onAnswer: OnAnswer,
): Promise<void> {
  const untilMs = performance.now() + limitMs
  let next = from
  const lane = async () => {
    let kept: Connection | undefined
    while (next < to && isRunning() && performance.now() < untilMs) {
      const index = next++
      if (index > from && index % progressEvery === 0) onProgress?.(index - from)
      if (index > from && index % requestsPerStage === 0) await stages.next()
      const { draw, renew } = stages.now()
      const drawn = drawRequest(draw, index)
      if (!kept?.isOpen()) kept = openConnection(port)
      const answer = await ask(kept, drawn)
      if (!drawn.isDirect || isStream(answer)) {
        kept.close()
        kept = undefined
      }
      if (typeof answer !== 'string' && answer.status === 401) await renew(drawn.caller)
      await onAnswer(drawn, answer)
    }
    kept?.close()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function ask(connection: Connection, { message }: Drawn): Promise<WireAnswer | Silence> {
  const { mayHangUp: ends, method } = message
  return connection.ask(bytesOf(message), { ends, isHead: method === 'HEAD' })
}

function isStream(answer: WireAnswer | Silence): boolean {
  return (
    typeof answer !== 'string' && answer.headers.some(([, value]) => /event-stream/.test(value))
  )
}

function note(tally: Tally, drawn: Drawn, answer: WireAnswer | Silence, problems: string[]): void {
  const { operation, manner, trick, index, message } = drawn
  const status = typeof answer === 'string' ? answer : String(answer.status)
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
  tally.manners[manner] = (tally.manners[manner] ?? 0) + 1
  if (trick !== '') tally.tricks.add(trick)
  if (drawn.isDirect && (status === '200' || status === '304')) tally.done.add(operation.name)
  if (problems.length === 0 || tally.findings.length >= maxFindings) return
  const target = message.target.slice(0, 120)
  const about = `${operation.name}, ${manner} ${trick}: ${message.method} ${target} ${status}`
  tally.findings.push({ index, about, problems })
}

function neverDone(operations: readonly Operation[], { done }: Tally): string[] {
  return operations.map(({ name }) => name).filter((name) => !done.has(name))
}

/** The service must be as well as before: ready, its books right, and nothing left lying. */
async function lookAfter({ port, db, isRunning, faults }: FuzzedService) {
  const aftermath: string[] = []
  if (!isRunning()) return { transfers: 0, aftermath: ['the service has ended'] }
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (ready.status !== 200) aftermath.push(`/readyz says ${ready.status}: ${await ready.text()}`)
  const left = await leftLying(() => db.unsafe(overdue))
  if (left > 0) aftermath.push(`${left} transactions are due and nobody attends to them`)
  const { transfers, problems } = await checkLedger(db)
  aftermath.push(...problems, ...faults().slice(0, maxFindings))
  return { transfers, aftermath }
}

const overdue = "select from transactions where due_at < now() - interval '5 s'"

/** How many are still there when there was time to do them. */
async function leftLying(read: () => Promise<readonly unknown[]>): Promise<number> {
  const until = performance.now() + settleLimitMs
  for (;;) {
    const { length } = await read()
    if (length === 0 || performance.now() > until) return length
    await delay(250)
  }
}

function vitalFaults({ rssBytes, busyP99Ms }: Vitals): string[] {
  const most = Math.max(...rssBytes)
  return [
    ...(most > maxRssBytes ? [`memory grew to ${most} bytes`] : []),
    ...(busyP99Ms > maxBusyP99Ms ? [`the event loop was held: p99 ${busyP99Ms} ms`] : []),
  ]
}
