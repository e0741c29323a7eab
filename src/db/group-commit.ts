import { AppError } from '../errors.ts'
import { Counter, Gauge, Histogram, type Metrics, secondsBuckets } from '../metrics.ts'
import { isConflictFault, isConnectionFault, isUnavailableFault } from './faults.ts'

/**
 * Requests that arrive while a commit is in flight go together into the next one. There is no
 * timer: a lone request commits at once, and a busy service makes larger groups by itself.
 */
export type GroupCommit<Item, Result> = {
  submit(item: Item): Promise<Result>
  /** Refuses what comes from now on and waits for what was taken. */
  close(): Promise<void>
  queued(): number
}

export type GroupCommitOptions<Item, Result> = {
  /** Commits all items or none, and says what happened to each, in their order. */
  commit(items: readonly Item[]): Promise<readonly Result[]>
  /** Two items with the same key never share a batch: the second one sees what the first did. */
  keyOf?(item: Item): string
  maxBatch: number
  maxQueued: number
  /**
   * Takes half of what is under way at most. The database then works on one half while the other
   * is read and answered; else all may come and go together, and each waits for the other.
   */
  byHalves?: boolean
  /** Commits in flight at once: one makes the largest groups, unless each is alone anyway. */
  commitsAtOnce?: number
  meter?: GroupCommitMeter
}

export type GroupCommitMeter = {
  batch(size: number, seconds: number): void
  waited(seconds: number): void
  queued(count: number): void
  failed?(count: number): void
}

type Waiting<Item, Result> = {
  item: Item
  sinceMs: number
  resolve(result: Result): void
  reject(error: unknown): void
}

const conflictTries = 3
const lonelyCommits = 32
/** So few are not worth dividing. */
const leastHalf = 16

export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { maxBatch, maxQueued, meter, byHalves = false } = options
  const { commitsAtOnce = maxBatch === 1 ? lonelyCommits : 1 } = options
  let queue: Waiting<Item, Result>[] = []
  let running = 0
  let underWay = 0
  let closed = false
  let whenIdle: (() => void) | undefined

  function submit(item: Item): Promise<Result> {
    if (closed) return Promise.reject(unavailable('the service is stopping'))
    if (queue.length >= maxQueued) {
      return Promise.reject(unavailable(`the commit queue holds ${maxQueued} requests`))
    }
    return new Promise((resolve, reject) => {
      queue.push({ item, sinceMs: performance.now(), resolve, reject })
      if (running >= commitsAtOnce) return
      running++
      // Requests parsed in the same turn of the event loop should share the first batch.
      setImmediate(() => void run())
    })
  }

  async function commit(items: readonly Item[]): Promise<readonly Result[]> {
    const results = await options.commit(items)
    // These, and those that came meanwhile.
    underWay = items.length + queue.length
    return results
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      meter?.queued(queue.length)
      const half = Math.max(leastHalf, Math.ceil(Math.max(underWay, queue.length) / 2))
      const most = byHalves ? Math.min(maxBatch, half) : maxBatch
      const { batch, later } = takeBatch(queue, most, options.keyOf)
      queue = later
      await commitBatch(batch, { ...options, commit })
    }
    meter?.queued(0)
    running--
    if (running === 0) whenIdle?.()
  }

  return {
    submit,
    queued: () => queue.length,
    async close() {
      closed = true
      if (running === 0) return
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    },
  }
}

function unavailable(detail: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, detail })
}

type Queue<Item, Result> = Waiting<Item, Result>[]

function takeBatch<Item, Result>(
  queue: Queue<Item, Result>,
  maxBatch: number,
  keyOf: ((item: Item) => string) | undefined,
): { batch: Queue<Item, Result>; later: Queue<Item, Result> } {
  if (keyOf === undefined) return { batch: queue.slice(0, maxBatch), later: queue.slice(maxBatch) }
  const batch: Queue<Item, Result> = []
  const later: Queue<Item, Result> = []
  const keys = new Set<string>()
  for (const waiting of queue) {
    const key = keyOf(waiting.item)
    if (batch.length < maxBatch && !keys.has(key)) batch.push(waiting)
    else later.push(waiting)
    // Also what was put off keeps its key, so that a third one does not overtake it.
    keys.add(key)
  }
  return { batch, later }
}

async function commitBatch<Item, Result>(
  batch: Queue<Item, Result>,
  options: GroupCommitOptions<Item, Result>,
): Promise<void> {
  const { meter } = options
  const startMs = performance.now()
  if (meter) for (const { sinceMs } of batch) meter.waited((startMs - sinceMs) / 1000)
  try {
    await settle(batch, options)
  } catch (error) {
    // One bad item must not fail its neighbours. A lost database fails them all alike.
    if (batch.length === 1 || isUnavailableFault(error)) reject(batch, error, meter)
    else for (const one of batch) await settle([one], options).catch((e) => reject([one], e, meter))
  }
  meter?.batch(batch.length, (performance.now() - startMs) / 1000)
}

async function settle<Item, Result>(
  batch: Queue<Item, Result>,
  options: GroupCommitOptions<Item, Result>,
): Promise<void> {
  const items = batch.map(({ item }) => item)
  const results = await commitAgain(items, options.commit)
  if (results.length !== items.length) throw new Error('a commit must answer each of its items')
  batch.forEach(({ resolve }, index) => {
    resolve(results[index]!)
  })
}

function reject<Item, Result>(
  batch: Queue<Item, Result>,
  error: unknown,
  meter: GroupCommitMeter | undefined,
): void {
  meter?.failed?.(batch.length)
  for (const waiting of batch) waiting.reject(error)
}

/**
 * After a lost connection the commit may have happened. Commits recognise their own earlier work,
 * so a second try finds out.
 */
async function commitAgain<Item, Result>(
  items: readonly Item[],
  commit: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await commit(items)
    } catch (error) {
      const mayTry = isConflictFault(error) ? conflictTries : isConnectionFault(error) ? 2 : 1
      if (tries >= mayTry) throw error
    }
  }
}

/** Measures every group commit of the process, told apart by the label `kind`. */
export function groupCommitMeters(metrics: Metrics): (kind: string) => GroupCommitMeter {
  const labelNames = ['kind'] as const
  const registers = [metrics]
  const size = new Histogram({
    name: 'malipo_group_commit_batch_size',
    help: 'Requests that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    labelNames,
    registers,
  })
  const wait = new Histogram({
    name: 'malipo_group_commit_wait_seconds',
    help: 'How long a request waited for its commit to begin.',
    buckets: secondsBuckets,
    labelNames,
    registers,
  })
  const duration = new Histogram({
    name: 'malipo_group_commit_seconds',
    help: 'How long one commit took.',
    buckets: secondsBuckets,
    labelNames,
    registers,
  })
  const queued = new Gauge({
    name: 'malipo_group_commit_queued',
    help: 'Requests that waited when the last commit began.',
    labelNames,
    registers,
  })
  const faults = new Counter({
    name: 'malipo_group_commit_faults_total',
    help: 'Requests whose commit failed for good.',
    labelNames,
    registers,
  })
  return (kind) => {
    const sizes = size.labels(kind)
    const waits = wait.labels(kind)
    const durations = duration.labels(kind)
    const queue = queued.labels(kind)
    const failures = faults.labels(kind)
    // Shown from the start, so that the first one is seen as a rise.
    failures.inc(0)
    return {
      batch(count, seconds) {
        sizes.observe(count)
        durations.observe(seconds)
      },
      waited: (seconds) => waits.observe(seconds),
      queued: (count) => queue.set(count),
      failed: (count) => failures.inc(count),
    }
  }
}
