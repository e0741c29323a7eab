import type { Clock } from '../clock.ts'
import type { Changes } from '../db/changes.ts'
import type { GroupCommitMeter } from '../db/group-commit.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { Log } from '../log.ts'
import { Counter, type Metrics } from '../metrics.ts'
import type { Seal } from '../seal.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { createEndpoints } from './endpoints.ts'
import type { EventData } from './event.ts'
import { resendWebhook } from './resend.ts'
import { createResults } from './results.ts'
import { createSender, type SenderOptions } from './send.ts'
import { sweepWebhooks } from './sweep.ts'
import { tellAgain } from './tell-again.ts'
import { startDeliveryWorker } from './worker.ts'

/** Everything about webhooks that the rest of the service asks for. */
export type Webhooks = {
  resend(owner: Pick<Owner, 'slot' | 'accountId'>, id: string): Promise<void>
  /** An event of a sandbox transaction that says a status, whatever the transaction has. */
  tellAgain(transaction: { slot: number; id: string }, status: EventData['status']): Promise<void>
  /** Something may be due. */
  wake(): void
  startWork(): Loop[]
  close(): Promise<void>
}

export type DeliverySettings = {
  webhookRetrySeconds: readonly number[]
  webhookTimeoutMs: number
  webhookConcurrency: number
  webhookPauseHours: number
  webhookRetentionDays: number
  loopbackWebhooks: boolean
}

export type WebhooksOptions = {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  seal: Seal
  changes: Changes
  settings: DeliverySettings
  metrics?: Metrics
  meter?: GroupCommitMeter
  /** Spreads the retries; tests want none of that. */
  random?: () => number
  connector?: SenderOptions['connector']
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { db, clock, log, settings, meter } = options
  const results = createResults(db, meter)
  const sender = createSender({
    timeoutMs: settings.webhookTimeoutMs,
    connectionsPerReceiver: settings.webhookConcurrency,
    loopbackSandbox: settings.loopbackWebhooks,
    ...(options.connector ? { connector: options.connector } : {}),
  })
  let worker: Loop | undefined
  let loops: Loop[] = []
  const wake = () => worker?.wake()
  return {
    wake,
    async resend(owner, id) {
      await resendWebhook(db, clock, owner, id)
      wake()
    },
    async tellAgain(transaction, status) {
      await tellAgain(options, transaction, status)
      wake()
    },
    startWork() {
      worker = startDeliveryWorker({
        ...options,
        ...{ results, sender, endpoints: createEndpoints(options) },
        retries: {
          pausesMs: settings.webhookRetrySeconds.map((seconds) => seconds * 1000),
          random: options.random ?? Math.random,
        },
        timeoutMs: settings.webhookTimeoutMs,
        maxPerReceiver: settings.webhookConcurrency,
        pauseAfterMs: settings.webhookPauseHours * hourMs,
        ...(options.metrics ? { onAttempt: countAttempts(options.metrics) } : {}),
      })
      const sweep = startLoop({ name: 'webhook sweep', everyMs: hourMs, log }, async () => {
        const before = clock.now() - settings.webhookRetentionDays * dayMs
        await sweepWebhooks(db, new Date(before))
      })
      loops = [worker, sweep]
      return loops
    },
    async close() {
      await Promise.all(loops.map((loop) => loop.stop()))
      await results.close()
      await sender.stop()
    },
  }
}

function countAttempts(metrics: Metrics): (reply: { ok: boolean }) => void {
  const attempts = new Counter({
    name: 'malipo_webhook_attempts_total',
    help: 'Attempts to deliver an event.',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  return ({ ok }) => attempts.labels(ok ? 'delivered' : 'failed').inc()
}
