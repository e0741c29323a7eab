import assert from 'node:assert/strict'
import { hkdfSync } from 'node:crypto'
import { handleChargeCallbacks } from '../src/charges/callbacks.ts'
import { attendDueCharges } from '../src/charges/worker.ts'
import { manualClock } from '../src/clock.ts'
import type { Owner } from '../src/ledger/wallets.ts'
import { createRails } from '../src/rails/index.ts'
import type { CallbackMessage, CallbackNews } from '../src/rails/rail.ts'
import { arrivalMessage, signed } from '../src/rails/sandbox/rail.ts'
import {
  type Answer,
  type Ending,
  keysOf,
  makeMerchant,
  type NodeOptions,
  type Request,
  sandboxPath,
  startLoneNode,
  type TestNode,
  tokenFor,
} from './app-harness.ts'

/** A service whose clock stands still until a test moves it, and whose rail is the sandbox. */
export type ChargeWorld = TestNode & {
  clock: ReturnType<typeof manualClock>
  /** Lets time pass, and then everything happen that is due. */
  pass(ms: number): Promise<void>
  /** What the workers do, until there is nothing left to do now. */
  work(): Promise<void>
  /** A message as the sandbox rail would sign it. */
  news(content: Partial<Omit<CallbackNews, 'amount'>> & { amount?: string }): CallbackMessage
  arrival(given: Parameters<typeof arrivalMessage>[0]): CallbackMessage
}

// The one the harness gives its rails.
const masterKey = Buffer.alloc(32, 7)
const maxRounds = 50
const tokenForMs = 45 * 60_000

export async function startChargeWorld(
  t: Ending,
  options: Omit<NodeOptions, 'clock'> = {},
): Promise<ChargeWorld> {
  const clock = manualClock(Date.now())
  const node = await startLoneNode(t, { ...options, clock })
  return chargeWorldOn(node, clock)
}

export function chargeWorldOn(node: TestNode, clock: ReturnType<typeof manualClock>): ChargeWorld {
  const rails = createRails({ db: node.db, clock, masterKey })
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'sandbox rail callbacks', 32))
  const { parts } = node.charges
  const fault = (error: unknown) => {
    throw error
  }
  async function work(): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      await rails.sendSandboxCallbacks(node.payouts.receiveCallback)
      const handled = await handleChargeCallbacks(parts, fault)
      if ((await attendDueCharges(parts)) + handled === 0) return
    }
    throw new Error('the workers never come to an end')
  }
  return {
    ...node,
    clock,
    work,
    async pass(ms) {
      clock.advance(ms)
      await work()
    },
    news: (content) =>
      signed({ direction: 'charge', kind: 'succeeded', reference: 'SBX-1', ...content }, secret),
    arrival: (given) => arrivalMessage(given, secret),
  }
}

export type Till = {
  owner: Owner
  call(method: Request['method'], path: string, body?: unknown, key?: string): Promise<Answer>
  /** A body as it is. */
  send(path: string, payload: string): Promise<Answer>
  momo(fields?: object, key?: string): Promise<Answer>
  card(fields?: object, key?: string): Promise<Answer>
  bankTransfer(fields?: object, key?: string): Promise<Answer>
  authorise(id: string, type: string, value: string): Promise<Answer>
  /** The answers above, accepted: the id of the charge. */
  accepted(answer: Promise<Answer>): Promise<string>
  read(id: string): Promise<Record<string, unknown>>
  balance(currency: string, country: string): Promise<bigint>
}

let references = 0
export const nextReference = (): string => `order-${++references}`

export const cardDetails = (number: string) => ({
  ...{ number, cvv: '737', expMonth: '12', expYear: '2031' },
})
export const goodCard = '4242424242424242'

/** A merchant of its own, so that no test meets the charges of another. */
export async function openTill(world: ChargeWorld): Promise<Till> {
  const { sandbox } = await makeMerchant(world.db)
  const { id: accountId, slot, environment } = sandbox.account
  let token = { text: '', untilMs: 0 }
  const bearer = async () => {
    if (world.clock.now() >= token.untilMs) {
      const text = await tokenFor(world, keysOf(sandbox))
      token = { text, untilMs: world.clock.now() + tokenForMs }
    }
    return token.text
  }
  const call: Till['call'] = async (method, path, body, key) =>
    world.send({
      method,
      url: sandboxPath + path,
      headers: {
        authorization: `Bearer ${await bearer()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
  const send: Till['send'] = async (path, payload) => {
    const authorization = `Bearer ${await bearer()}`
    const headers = { authorization, 'content-type': 'application/json' }
    return world.send({ method: 'POST', url: sandboxPath + path, headers, payload })
  }
  const deposit =
    (kind: string, base: () => object) =>
    (fields: object = {}, key?: string) =>
      call('POST', `/fiat/deposit/${kind}`, { ...base(), ...fields }, key)
  return {
    owner: { accountId, slot, environment },
    call,
    send,
    momo: deposit('momo', momoBody),
    card: deposit('card', cardBody),
    bankTransfer: deposit('bank-transfer', bankTransferBody),
    authorise: (id, type, value) => call('POST', `/fiat/deposit/${id}/authorise`, { type, value }),
    async accepted(answer) {
      const { status, text, body } = await answer
      assert.equal(status, 200, text)
      const { transactionId } = (body.data ?? body) as { transactionId: string }
      return transactionId
    },
    async read(id) {
      const { status, text, body } = await call('GET', `/transactions/${id}`)
      assert.equal(status, 200, text)
      return body.data as Record<string, unknown>
    },
    async balance(currency, country) {
      const [wallet] = await world.db<{ available: bigint }[]>`
        select available from wallets where slot = ${slot} and account_id = ${accountId}
          and currency = ${currency} and country = ${country}`
      return wallet?.available ?? 0n
    },
  }
}

export const momoBody = () => ({
  amount: 1500,
  currency: 'KES',
  phoneNumber: '+254700000000',
  externalReference: nextReference(),
})

export const cardBody = () => ({
  amount: 25,
  currency: 'KES',
  email: 'wanjiru@shop.example',
  firstName: 'Wanjiru',
  lastName: 'Mwangi',
  externalReference: nextReference(),
  cardDetails: cardDetails(goodCard),
})

export const bankTransferBody = () => ({
  amount: 20_000,
  currency: 'NGN',
  email: 'ada@shop.example',
  externalReference: nextReference(),
})

/** What the records say of a charge: its state, its transfers, its events and its suspense. */
export async function storyOf({ db }: Pick<ChargeWorld, 'db'>, id: string) {
  const [charge] = await db<{ state: string; reason: string | null; wrongValues: number }[]>`
    select state, failure_reason as reason, wrong_values as "wrongValues"
    from transactions where id = ${id}`
  const transfers = await db<{ step: string; amount: bigint; currency: string }[]>`
    select step, amount, currency from transfers where transaction_id = ${id}
    order by posted_at, step`
  const events = await db<{ status: string; step: string | null }[]>`
    select data ->> 'status' as status, data ->> 'stepRequired' as step
    from webhooks where transaction_id = ${id} order by sequence`
  const suspense = await db<{ amount: bigint; story: string; state: string }[]>`
    select amount, story, state from suspense_items where transaction_id = ${id}
    order by created_at, id`
  return {
    ...charge!,
    transfers: transfers.map(({ step, amount, currency }) => `${step} ${amount} ${currency}`),
    told: events.map(({ status, step }) => (step ? `${status} ${step}` : status)),
    suspense: suspense.map(({ amount, story }) => `${amount} ${story}`),
  }
}
