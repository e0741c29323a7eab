import { AppError } from '../errors.ts'
import { Gauge, Histogram, type Metrics, secondsBuckets } from '../metrics.ts'
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
  meter?: GroupCommitMeter
}

export type GroupCommitMeter = {
  batch(size: number, seconds: number): void
  waited(seconds: number): void
  queued(count: number): void
}

type Waiting<Item, Result> = {
  item: Item
  sinceMs: number
  resolve(result: Result): void
  reject(error: unknown): void
}

const conflictTries = 3

export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { maxBatch, maxQueued, meter } = options
  let queue: Waiting<Item, Result>[] = []
  let running = false
  let closed = false
  let whenIdle: (() => void) | undefined

  function submit(item: Item): Promise<Result> {
    if (closed) return Promise.reject(new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }))
    if (queue.length >= maxQueued) {
      return Promise.reject(
        new AppError('SERVICE_UNAVAILABLE', {
          retryAfterSeconds: 1,
          detail: `the commit queue holds ${maxQueued} requests`,
        }),
      )
    }
    return new Promise((resolve, reject) => {
      queue.push({ item, sinceMs: performance.now(), resolve, reject })
      if (!running) {
        running = true
        // Requests parsed in the same turn of the event loop should share the first batch.
        setImmediate(() => void run())
      }
    })
  }

  function take(): Waiting<Item, Result>[] {
    const { keyOf } = options
    if (keyOf === undefined) {
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(maxBatch)
      return batch
    }
    const batch: Waiting<Item, Result>[] = []
    const later: Waiting<Item, Result>[] = []
    const keys = new Set<string>()
    for (const waiting of queue) {
      const key = keyOf(waiting.item)
      if (batch.length < maxBatch && !keys.has(key)) batch.push(waiting)
      else later.push(waiting)
      // Also what was put off keeps its key, so that a third one does not overtake it.
      keys.add(key)
    }
    queue = later
    return batch
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      meter?.queued(queue.length)
      await commitBatch(take())
    }
    meter?.queued(0)
    running = false
    whenIdle?.()
  }

  async function commitBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const startMs = performance.now()
    if (meter) for (const { sinceMs } of batch) meter.waited((startMs - sinceMs) / 1000)
    try {
      await settle(batch)
    } catch (error) {
      // One bad item must not fail its neighbours. A lost database fails them all alike.
      if (batch.length === 1 || isUnavailableFault(error)) reject(batch, error)
      else for (const one of batch) await settle([one]).catch((fault) => reject([one], fault))
    }
    meter?.batch(batch.length, (performance.now() - startMs) / 1000)
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const items = batch.map(({ item }) => item)
    const results = await tryCommit(items)
    if (results.length !== items.length) throw new Error('a commit must answer each of its items')
    batch.forEach(({ resolve }, index) => {
      resolve(results[index]!)
    })
  }

  async function tryCommit(items: readonly Item[]): Promise<readonly Result[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await options.commit(items)
      } catch (error) {
        // After a lost connection the commit may have happened. Commits recognise their own
        // earlier work, so the second try finds out.
        const again = isConflictFault(error) ? attempt < conflictTries : attempt === 1
        if (!again || !(isConflictFault(error) || isConnectionFault(error))) throw error
      }
    }
  }

  function reject(batch: readonly Waiting<Item, Result>[], error: unknown): void {
    for (const waiting of batch) waiting.reject(error)
  }

  return {
    submit,
    queued: () => queue.length,
    async close() {
      closed = true
      if (running) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
      }
    },
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
  return (kind) => {
    const sizes = size.labels(kind)
    const waits = wait.labels(kind)
    const durations = duration.labels(kind)
    const queue = queued.labels(kind)
    return {
      batch(count, seconds) {
        sizes.observe(count)
        durations.observe(seconds)
      },
      waited: (seconds) => waits.observe(seconds),
      queued: (count) => queue.set(count),
    }
  }
}
