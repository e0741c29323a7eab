import assert from 'node:assert/strict'
import { manualClock } from '../src/clock.ts'
import type { Db } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'
import { postTransfers } from '../src/ledger/post.ts'
import { openWallet, type Wallet } from '../src/ledger/wallets.ts'
import type { Account } from '../src/merchants/account.ts'
import type { FeeRule } from '../src/merchants/fee-plan.ts'
import { handleCallbacks } from '../src/payouts/callbacks.ts'
import type { OutcomeParts } from '../src/payouts/outcomes.ts'
import { attendDue } from '../src/payouts/worker.ts'
import type { Rail, RailLimits, RailRoute } from '../src/rails/rail.ts'
import { createRouting, type Routing } from '../src/rails/routing.ts'
import { sendDueCallbacks } from '../src/rails/sandbox/callback-loop.ts'
import { createSandboxRail, type Faults, signed } from '../src/rails/sandbox/rail.ts'
import { databaseBook } from '../src/rails/sandbox-book.ts'
import {
  type Answer,
  businessPath,
  type Ending,
  keysOf,
  makeMerchant,
  startNode,
  type TestNode,
  tokenFor,
} from './app-harness.ts'
import { testDatabase } from './harness.ts'

export const secret = Buffer.alloc(32, 9)
const maxPasses = 200

export type RailSetup = {
  name: string
  faults: Faults
  limits?: Partial<RailLimits>
  routes?: readonly RailRoute[]
  /** Puts something between the service and the rail. */
  around?: (rail: Rail) => Rail
}

export type WorldOptions = { rails?: RailSetup[]; startMs?: number }

/** A service with a merchant, rails that can be told to misbehave, and a clock that is driven. */
export type World = {
  db: Db
  url: string
  clock: ReturnType<typeof manualClock>
  node: TestNode
  routing: Routing
  parts: OutcomeParts
  account: Account
  /** Another process of the service on the same database. */
  join(): Promise<TestNode>
  pay(body?: Record<string, unknown>, options?: PayOptions): Promise<Answer>
  /** The same, for one that must be accepted; answers with its id. */
  paid(body?: Record<string, unknown>, options?: PayOptions): Promise<string>
  read(idOrReference: string): Promise<Record<string, unknown>>
  /** Does everything that is due now. */
  settle(): Promise<void>
  /** Lets time pass in steps and does what becomes due. */
  drive(forMs: number, stepMs?: number): Promise<void>
  /** A callback of the rail itself, whatever it says. */
  receive(content: object, rail?: string): Promise<void>
}

export type PayOptions = { node?: TestNode; headers?: Record<string, string> }

let references = 0

/** A payout to a Kenyan phone whose last three digits decide what the sandbox does. */
export function payoutTo(suffix: string, more: Record<string, unknown> = {}) {
  references++
  return {
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
    externalReference: `payout-${references}`,
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: `+254700000${suffix}` },
    ...more,
  }
}

export async function openWorld(t: Ending, options: WorldOptions = {}): Promise<World> {
  const { url, sql: db, drop } = await testDatabase()
  const clock = manualClock(options.startMs ?? Date.now())
  const setups = options.rails ?? [{ name: 'sandbox', faults: {} }]
  const book = databaseBook(db)
  const rails = setups.map(({ around = (rail) => rail, ...setup }) =>
    around(createSandboxRail({ ...setup, clock, book, secret })),
  )
  const routing = createRouting({ sandbox: rails, live: [] })
  const join = () => startNode(t, url, { clock, routing })
  const node = await join()
  t.after(drop)
  const { sandbox } = await makeMerchant(db)
  const { parts, receiveCallback } = node.payouts
  const token = keeper(node, () => tokenFor(node, keysOf(sandbox)))
  const call = async (on: TestNode, method: 'GET' | 'POST', path: string, more: object = {}) =>
    on.send({ method, url: `${businessPath}${path}`, ...(await authorised(token, more)) })

  const pay: World['pay'] = async (body = payoutTo('000'), { node: on = node, headers } = {}) => {
    const content = { 'content-type': 'application/json', ...headers }
    return call(on, 'POST', '/fiat/payout', { headers: content, payload: JSON.stringify(body) })
  }
  const settle = async () => {
    for (let pass = 0; pass < maxPasses; pass++) {
      let done = 0
      for (const { name, faults } of setups) {
        const sender = { name, clock, book, secret, faults, receive: receiveCallback }
        done += await sendDueCallbacks(sender)
      }
      done += await handleCallbacks(parts)
      done += await attendDue(parts)
      if (done === 0) return
    }
    throw new Error('there is no end to what is due')
  }
  return {
    ...{ db, url, clock, node, routing, parts, account: sandbox.account, join, pay, settle },
    async paid(body, more) {
      const { status, text, body: answer } = await pay(body, more)
      assert.equal(status, 200, text)
      return String(answer.transactionId)
    },
    async read(id) {
      const { status, text, body } = await call(node, 'GET', `/transactions/${id}`)
      assert.equal(status, 200, text)
      return body.data as Record<string, unknown>
    },
    async drive(forMs, stepMs = 1000) {
      const untilMs = clock.now() + forMs
      await settle()
      while (clock.now() < untilMs) {
        clock.advance(Math.min(stepMs, untilMs - clock.now()))
        await settle()
      }
    },
    receive: (content, rail = 'sandbox') => receiveCallback(rail, signed(content, secret)),
  }
}

/** A token lasts an hour, and worlds may last days. */
function keeper({ clock }: TestNode, fetch: () => Promise<string>): () => Promise<string> {
  const renewAfterMs = 1_800_000
  let kept: { token: Promise<string>; sinceMs: number } | undefined
  return () => {
    if (!kept || clock.now() - kept.sinceMs > renewAfterMs) {
      kept = { token: fetch(), sinceMs: clock.now() }
    }
    return kept.token
  }
}

async function authorised(token: () => Promise<string>, { headers = {}, ...more }: AnyRequest) {
  return { ...more, headers: { authorization: `Bearer ${await token()}`, ...headers } }
}

type AnyRequest = { headers?: Record<string, string>; payload?: string }

export type Balance = { available: bigint; held: bigint }

export async function walletOf(world: World, currency = 'KES', country = 'KE'): Promise<Wallet> {
  const { id: accountId, slot, environment } = world.account
  const owner = { accountId, slot, environment }
  return await openWallet(world.db, world.node.ids, owner, { currency, country })
}

export async function balanceOf(world: World, currency = 'KES', country = 'KE'): Promise<Balance> {
  const { available, held } = await walletOf(world, currency, country)
  return { available, held }
}

/** Leaves exactly that much in a wallet. */
export async function leaveInWallet(world: World, amountMinor: bigint, currency = 'KES') {
  const { id: walletId, slot, environment, available } = await walletOf(world, currency)
  const amount = available - amountMinor
  const drained = { step: 'drained', debit: 'wallet', credit: 'funding', amount } as const
  const transactionId = world.node.ids.next(slot)
  const transfers = [{ ...drained, currency, walletId }]
  await postTransfers(world.db, [{ slot, transactionId, environment, transfers }])
}

/** What an account of the house holds, from all transfers of this account's payouts. */
export async function houseBalance(world: World, account: string, currency: string) {
  const [row] = await world.db<{ sum: bigint }[]>`
    select coalesce(sum(case when credit = ${account} then amount else -amount end), 0)::bigint
      as sum
    from transfers where slot = ${world.account.slot} and currency = ${currency}
      and ${account} in (debit, credit)`
  return row!.sum
}

export async function setFeePlan(world: World, plan: FeeRule[]): Promise<void> {
  await world.db`
    update accounts set fee_plan = ${world.db.json(plan)} where id = ${world.account.id}`
}

export type RecordRow = {
  state: string
  status: string
  failureReason: string | null
  rail: string
  submits: number
  dueAt: Date | null
}

export async function recordOf(world: World, id: string): Promise<RecordRow> {
  const [row] = await world.db<RecordRow[]>`
    select state, status, failure_reason as "failureReason", rail, submits, due_at as "dueAt"
    from transactions where id = ${id}`
  return row!
}

/** Every word exchanged with a rail about a payout: "sandbox submit accepted". */
export async function attemptsOf(world: World, id: string): Promise<string[]> {
  const rows = await world.db<{ line: string }[]>`
    select rail || ' ' || action || ' ' || outcome as line from rail_attempts
    where transaction_id = ${id} order by at, id`
  return rows.map(({ line }) => line)
}

/** What the merchant is told: "1 transaction_created pending". */
export async function toldOf(world: World, id: string): Promise<string[]> {
  const rows = await world.db<{ line: string }[]>`
    select sequence || ' ' || event || ' ' || (data ->> 'status') as line from webhooks
    where transaction_id = ${id} order by sequence`
  return rows.map(({ line }) => line)
}

/** What the rails themselves say: how often each took the payout's key. */
export async function arrivalsOf(world: World, id: string): Promise<Record<string, number>> {
  const rows = await world.db<{ rail: string; arrivals: number }[]>`
    select rail, arrivals from sandbox_rail_book where key = ${id} order by rail`
  return Object.fromEntries(rows.map(({ rail, arrivals }) => [rail, arrivals]))
}

export async function findingsOf(world: World, id: string): Promise<(string | null)[]> {
  const rows = await world.db<{ finding: string | null }[]>`
    select finding from rail_callbacks where transaction_id = ${id} order by received_at, id`
  return rows.map(({ finding }) => finding)
}

/** The ledger is right, nothing is held, and every record says what its transfers say. */
export async function assertAllSettled(world: World): Promise<void> {
  await assertBooks(world)
  const [left] = await world.db<{ open: number; held: bigint }[]>`
    select (select count(*)::int from transactions where status = 'pending') as open,
      (select coalesce(sum(held), 0)::bigint from wallets) as held`
  assert.deepEqual(left, { open: 0, held: 0n })
}

export async function assertBooks({ db }: Pick<World, 'db'>): Promise<void> {
  assert.deepEqual((await checkLedger(db)).problems, [])
  const wrong = await db`
    select t.id, t.state, array_agg(f.step order by f.step) as steps
    from transactions t join transfers f on f.slot = t.slot and f.transaction_id = t.id
    where t.kind = 'payout'
    group by t.id, t.state
    having bool_or(f.step = 'paid') <> (t.state = 'succeeded')
      or bool_or(f.step = 'returned') <> (t.state = 'failed')`
  assert.deepEqual(wrong, [], 'the record and its transfers disagree')
  const untold = await db`
    select t.id from transactions t
    where t.sequence <> (select count(*) from webhooks w
      where w.slot = t.slot and w.transaction_id = t.id
        and (w.sequence < t.sequence or w.data ->> 'status' = t.status))`
  assert.deepEqual(untold, [], 'a change was not told')
}
