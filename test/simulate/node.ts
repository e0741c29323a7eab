import { handleChargeCallbacks } from '../../src/charges/callbacks.ts'
import { type Charges, createCharges } from '../../src/charges/charges.ts'
import { createChargeWriter } from '../../src/charges/store.ts'
import { attendDueCharges } from '../../src/charges/worker.ts'
import { handleCallbacks } from '../../src/payouts/callbacks.ts'
import { createPayouts, type Payouts } from '../../src/payouts/payouts.ts'
import { createPayoutWriter, type PayoutWriter } from '../../src/payouts/store.ts'
import { attendDue } from '../../src/payouts/worker.ts'
import { createRouting } from '../../src/rails/routing.ts'
import { createDispatch } from '../../src/webhooks/dispatch.ts'
import { type Endpoint, type Endpoints, readEndpoints } from '../../src/webhooks/endpoints.ts'
import { claimDue, dueAccounts, setAside } from '../../src/webhooks/queue.ts'
import { createResults, type Results } from '../../src/webhooks/results.ts'
import type { Sender } from '../../src/webhooks/send.ts'
import { silentLog } from '../app-harness.ts'
import { createMortal, type Fates, type Mortal, reachedBy } from './mortal.ts'
import { problem, type World } from './world.ts'

/** A process that serves callers. */
export type Api = { process: Mortal; payouts: Payouts; charges: Charges }

/** A process that works: what each kind of pass did is its number. */
export type Worker = { process: Mortal; passes: Record<Pass, () => Promise<number>> }

export const passNames = [
  ...(['payouts', 'charges', 'payout news', 'charge news', 'deliveries'] as const),
]
export type Pass = (typeof passNames)[number]

const lane = { maxBatch: 256, maxQueued: 10_000 }
const webhookTimeoutMs = 30_000
const webhookLeaseMs = 65_000
const callOffMs = 20_000
const perReceiver = 8
const pausesMs = [5, 15, 45, 300, 1800, 7200, 21_600, 86_400].map((seconds) => seconds * 1000)
const pauseAfterMs = 72 * 3_600_000

/** What every caller pays: a hundredth. */
export const feeOf = (_method: string, _currency: string, amountMinor: bigint): bigint =>
  amountMinor / 100n

function baseOf(world: World, name: string, fates: Fates) {
  const { clock, ids, reference, rates, bugs } = world
  const process = createMortal(name, world.db, fates)
  const { db } = process
  const rails = world.rails.map(({ rail }) => {
    const reached = reachedBy(process, clock, rail, (key) => mustBeSent(world, key))
    return bugs.rail ? bugs.rail(reached, world) : reached
  })
  const routing = createRouting({ sandbox: rails, live: [] })
  return { process, base: { ...lane, db, clock, ids, log: silentLog, routing, reference, rates } }
}

/** Nothing is sent that has its outcome already. To open an account late collects nothing. */
async function mustBeSent(world: World, key: string): Promise<void> {
  const [row] = await world.db<{ status: string }[]>`
    select status from transactions where id = ${key} and (kind = 'payout' or method <> 'bank')`
  if (row && row.status !== 'pending' && !world.simulated.has(key)) {
    problem(world, `${key} is sent to its rail although it is ${row.status}`)
  }
}

const chargeSettings = {
  publicUrl: (path: string) => `https://malipo.example${path}`,
  feeOf: async () => feeOf,
}

export function createApi(world: World, name: string, fates: Fates): Api {
  const { process, base } = baseOf(world, name, fates)
  const payouts = createPayouts(base)
  Object.assign(payouts.parts, { writer: payoutWriter(world, process, payouts.parts.writer) })
  return { process, payouts, charges: createCharges({ ...base, ...chargeSettings }) }
}

const payoutWriter = ({ bugs }: World, process: Mortal, writer: PayoutWriter): PayoutWriter =>
  bugs.payoutWriter ? bugs.payoutWriter(writer, process) : writer

/** Only what its passes need: the memory of what serves callers takes long to set up. */
export function createWorker(world: World, name: string, fates: Fates): Worker {
  const { process, base } = baseOf(world, name, fates)
  const { db, clock, ids, routing } = base
  const shared = { db, clock, ids, routing }
  const parts = { ...shared, writer: payoutWriter(world, process, createPayoutWriter(db)) }
  const { proceedsOf, publicUrl } = world.apis[0]!.charges.parts
  const chargeParts = { ...shared, writer: createChargeWriter(db), proceedsOf, publicUrl }
  let deliver: (() => Promise<number>) | undefined
  return {
    process,
    passes: {
      payouts: () => attendDue(parts),
      charges: () => attendDueCharges(chargeParts),
      'payout news': () => handleCallbacks(parts),
      'charge news': () => handleChargeCallbacks(chargeParts),
      deliveries() {
        deliver ??= createDelivery(world, process)
        return deliver()
      },
    },
  }
}

/** Read anew for every pass, and kept for the length of it. */
function endpointsOf(world: World, { db }: Mortal): Endpoints {
  const { clock, seal, bugs } = world
  const known = new Map<string, Endpoint>()
  const own: Endpoints = {
    peek: (accountId) => known.get(accountId),
    async find(accountIds) {
      known.clear()
      for (const endpoint of await readEndpoints({ db, clock, seal, log: silentLog }, accountIds)) {
        known.set(endpoint.accountId, endpoint)
      }
      return new Map(known)
    },
  }
  return bugs.endpoints ? bugs.endpoints(own, world) : own
}

function senderOf(world: World, process: Mortal): Sender {
  const { clock, receivers } = world
  return {
    post(_environment, post) {
      const startMs = clock.now()
      return process.call('receiver', async () => {
        if (clock.now() - startMs > callOffMs) {
          return { ok: false, status: 'timeout', text: 'called off', isFit: false }
        }
        mustBeOpen(world, post.headers['webhook-id']!)
        world.counts.deliveries++
        return receivers.post(post)
      })
    },
    stop: async () => {},
  }
}

/** An event that arrived is sent by nobody, unless somebody wants it again. */
function mustBeOpen(world: World, id: string): void {
  if (world.delivered.has(id)) problem(world, `event ${id} is sent although it has arrived`)
}

function createDelivery(world: World, process: Mortal): () => Promise<number> {
  const { clock, ids, bugs } = world
  const { db } = process
  const endpoints = endpointsOf(world, process)
  const results: Results = {
    // Each by itself: results that are gathered wait for a timer, and here nobody waits.
    async submit(result) {
      const applied = await createResults(db).submit(result)
      if (applied && result.status === 'SUCCESS') world.delivered.add(result.delivery.id)
      return applied
    },
    close: async () => {},
  }
  const dispatch = createDispatch(
    {
      ...{ db, clock, ids, log: silentLog, endpoints, sender: senderOf(world, process) },
      results: bugs.results ? bugs.results(results, process) : results,
      retries: { pausesMs, random: world.random.next },
      ...{ timeoutMs: webhookTimeoutMs, maxPerReceiver: perReceiver, pauseAfterMs },
    },
    () => {},
  )
  return async () => {
    const accountIds = await dueAccounts(db, clock.now())
    if (accountIds.length === 0) return 0
    const found = await endpoints.find(accountIds)
    const mute = accountIds.filter((id) => !found.get(id)?.target)
    if (mute.length > 0) await setAside(db, mute, clock.now())
    const wanted = accountIds
      .filter((id) => !mute.includes(id))
      .map((accountId) => ({ accountId, room: perReceiver }))
    if (wanted.length === 0) return mute.length
    const claimed = await claimDue(db, { wanted, nowMs: clock.now(), leaseMs: webhookLeaseMs })
    for (const delivery of claimed) {
      dispatch.take(delivery, found.get(delivery.accountId)!.target!.receiver)
    }
    await process.quiet()
    return claimed.length
  }
}
