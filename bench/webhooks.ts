import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Agent } from 'undici'
import { systemClock } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import { type Changes, followChanges } from '../src/db/changes.ts'
import type { Db } from '../src/db/pool.ts'
import { createIds } from '../src/ids.ts'
import { createLogTo } from '../src/log.ts'
import type { Account } from '../src/merchants/account.ts'
import { createMerchant } from '../src/merchants/create-merchant.ts'
import { createSeal } from '../src/seal.ts'
import { createWebhooks } from '../src/webhooks/webhooks.ts'
import { addEvents } from '../test/events.ts'
import { compared, type Figure, median } from './report.ts'

const config = readConfig({ MALIPO_LOOPBACK_WEBHOOKS: 'on' })
const ids = createIds(systemClock)
const seal = createSeal([randomBytes(32)])
const log = createLogTo({ write: () => {} }, 'silent')
const hangingReceivers = 20
const eventsForHanging = 500
const warmUpMs = 300

type Options = { rounds: number; secondsPerRound: number }
type Receivers = {
  healthy: string
  hanging: string[]
  received(): number
  /** Lets go of whom it kept waiting. */
  hangUp(): void
  stop(): Promise<void>
}

/**
 * How fast events reach one receiver, against the same client posting the same bodies in a loop
 * without a database; and whether receivers that hang slow down one that does not.
 */
export async function deliveryBench(db: Db, options: Options): Promise<Figure[]> {
  const receivers = await startReceivers()
  const changes = await followChanges(db, systemClock)
  const healthy = await openAccount(db, receivers.healthy)
  const hanging = await Promise.all(receivers.hanging.map((url) => openAccount(db, url)))
  const seconds = options.secondsPerRound
  let fastest = 0
  // As many as could be posted if all the rest cost nothing.
  const enough = () => Math.ceil(fastest * (seconds + warmUpMs / 1000))
  const deliver = (accounts: Account[]) =>
    delivered(db, changes, receivers, accounts, { seconds, events: enough() })
  const cases: [string, () => Promise<number>][] = [
    [
      'posts in a bare loop',
      async () => {
        const perSecond = await bareLoop(receivers, seconds)
        fastest = Math.max(fastest, perSecond)
        return perSecond
      },
    ],
    ['webhooks delivered', () => deliver([healthy])],
    [
      `webhooks delivered beside ${hangingReceivers} that hang`,
      () => deliver([healthy, ...hanging]),
    ],
  ]
  const seen = new Map<string, number[]>(cases.map(([name]) => [name, []]))
  for (let round = 0; round < options.rounds; round++) {
    for (const [name, run] of cases) seen.get(name)!.push(await run())
  }
  await changes.stop()
  await receivers.stop()
  const [bare, alone, beside] = cases.map(([name]) => ({
    name,
    value: median(seen.get(name)!),
  }))
  return [bare!, compared(alone!, bare!, 0.5), compared(beside!, alone!, 0.9)]
}

export async function startReceivers(hanging = hangingReceivers): Promise<Receivers> {
  const counter = new SharedArrayBuffer(4)
  const count = new Int32Array(counter)
  const worker = new Worker(new URL('./receiver.ts', import.meta.url), {
    workerData: { counter, hanging },
  })
  const [urls] = (await once(worker, 'message')) as [{ healthy: string; hanging: string[] }]
  return {
    ...urls,
    received: () => Atomics.load(count, 0),
    hangUp: () => worker.postMessage('hang up'),
    stop: async () => void (await worker.terminate()),
  }
}

async function openAccount(db: Db, url: string): Promise<Account> {
  const email = `${randomBytes(8).toString('hex')}@malipo.example`
  const person = { name: 'Bench', firstName: 'Bench', lastName: 'Mark', email }
  const { sandbox } = await createMerchant(db, ids, seal, 'bench', person)
  await db`update accounts set webhook_url = ${url} where id = ${sandbox.account.id}`
  return sandbox.account
}

/** What arrives in a second, once it is under way. */
async function rate({ received }: Receivers, seconds: number): Promise<number> {
  await sleep(warmUpMs)
  const [before, startMs] = [received(), performance.now()]
  await sleep(seconds * 1000)
  return (received() - before) / ((performance.now() - startMs) / 1000)
}

async function bareLoop(receivers: Receivers, seconds: number): Promise<number> {
  const agent = new Agent({ connections: config.webhookConcurrency, pipelining: 1 })
  const { origin, pathname: path } = new URL(receivers.healthy)
  const body = JSON.stringify({
    event: 'transaction_created',
    data: {
      ...{ type: 'withdrew', amount: 1000, status: 'pending', country: 'KE', currency: 'KES' },
      ...{ destination: 'MoMo', transactionId: ids.next(0), sequence: 1 },
      externalReference: `order-${ids.next(0)}`,
    },
    timestamp: new Date().toISOString(),
  })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': ids.next(0),
    'webhook-timestamp': '1700000000',
    'user-agent': 'Malipo/0.1.0',
    'webhook-signature': `v1,${randomBytes(32).toString('base64')}`,
  }
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const answer = await agent.request({ origin, path, method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  const clients = Array.from({ length: config.webhookConcurrency }, client)
  const perSecond = await rate(receivers, seconds)
  isOver = true
  await Promise.all(clients)
  await agent.close()
  return perSecond
}

async function delivered(
  db: Db,
  changes: Changes,
  receivers: Receivers,
  [healthy, ...hanging]: Account[],
  { seconds, events }: { seconds: number; events: number },
): Promise<number> {
  for (const account of hanging) {
    await addEvents(db, ids, account, { transactions: eventsForHanging })
  }
  await addEvents(db, ids, healthy!, { transactions: events })
  await db`analyze webhooks`
  const webhooks = createWebhooks({
    ...{ db, clock: systemClock, ids, log, seal, changes, settings: config },
  })
  webhooks.startWork()
  const perSecond = await rate(receivers, seconds)
  // Else the close would wait for them.
  receivers.hangUp()
  await webhooks.close()
  await db`truncate webhooks, webhook_attempts`
  return perSecond
}
