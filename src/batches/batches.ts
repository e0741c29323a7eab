import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Loop } from '../work/loop.ts'
import type { Actor, Batch, BatchKey, BatchPayouts, PlacedError } from './batch.ts'
import type { CheckParts } from './check-lines.ts'
import { type AccountOfBatch, createBatch, type NewBatch } from './create-batch.ts'
import { approveBatch, cancelBatch, submitBatch } from './decide.ts'
import { resultFile } from './files.ts'
import { type BatchLine, type LinesPage, listLines } from './lines.ts'
import { listBatches, readBatch } from './read-batch.ts'
import { runStep, startBatchWorker } from './worker.ts'

type OwnerKey = Omit<BatchKey, 'id'>

/** Everything about batches that the rest of the service asks for. */
export type Batches = {
  create(
    account: AccountOfBatch,
    actor: Actor,
    batch: NewBatch,
  ): Promise<{ batch: Batch; errors: PlacedError[] }>
  read(key: BatchKey): Promise<Batch>
  list(owner: OwnerKey, page: { after?: string | undefined; limit: number }): Promise<Batch[]>
  lines(key: BatchKey, page: LinesPage): Promise<BatchLine[]>
  /** The pieces of a file, for a batch that exists. */
  result(key: BatchKey): Promise<{ batch: Batch; pieces: AsyncIterable<string> }>
  submit(key: BatchKey, actor: Actor, choice: { skipInvalid: boolean }): Promise<Batch>
  approve(key: BatchKey, actor: Actor): Promise<Batch>
  cancel(key: BatchKey, actor: Actor): Promise<Batch>
  startWork(): Loop[]
  /** One step of what is due, and whether there was any, for tests that drive it. */
  step(): Promise<boolean>
}

export type BatchesOptions = {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  payouts: BatchPayouts
  shapeFault: CheckParts['shapeFault']
}

export function createBatches(options: BatchesOptions): Batches {
  const { db } = options
  let loop: Loop | undefined

  async function begin(key: BatchKey, change: Promise<void>): Promise<Batch> {
    await change
    loop?.wake()
    return await readBatch(db, key)
  }

  return {
    async create(account, actor, batch) {
      const { key, errors } = await createBatch(options, account, actor, batch)
      return { batch: await readBatch(db, key), errors }
    },
    read: (key) => readBatch(db, key),
    list: (owner, page) => listBatches(db, owner, page),
    async lines(key, page) {
      await readBatch(db, key)
      return await listLines(db, key, page)
    },
    async result(key) {
      return { batch: await readBatch(db, key), pieces: resultFile(db, key) }
    },
    submit: (key, actor, choice) => begin(key, submitBatch(options, key, actor, choice)),
    approve: (key, actor) => begin(key, approveBatch(options, key, actor)),
    cancel: (key, actor) => begin(key, cancelBatch(options, key, actor)),
    startWork() {
      loop = startBatchWorker(options)
      return [loop]
    },
    step: () => runStep(options),
  }
}
