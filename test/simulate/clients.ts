import { isConnectionFault } from '../../src/db/faults.ts'
import { AppError } from '../../src/errors.ts'
import { listTransactions } from '../../src/transactions/list.ts'
import { readTransaction } from '../../src/transactions/read.ts'
import { createTransactionReads } from '../../src/transactions/reads.ts'
import { resendWebhook } from '../../src/webhooks/resend.ts'
import { dead, type Outlived } from './mortal.ts'
import type { Api } from './node.ts'
import { rightValue } from './rail-charges.ts'
import { newRequest, send } from './requests.ts'
import { type Asked, type Kind, type Merchant, problem, type World } from './world.ts'

/** What the clients of the merchants do, each thing once and with what they remember of it. */

/** What came of asking the service: an answer, a refusal, or silence. */
type Heard<Result> = { answer: Result } | { refusal: string } | 'nothing'

async function ask<Result>(
  world: World,
  api: Api,
  what: (api: Api) => Promise<Result>,
): Promise<Heard<Result>> {
  try {
    const answer: Outlived<Result> = await api.process.live(() => what(api))
    return answer === dead ? 'nothing' : { answer }
  } catch (error) {
    if (error instanceof AppError) return { refusal: error.code }
    if (!isConnectionFault(error)) problem(world, `a request met a fault: ${String(error)}`)
    return 'nothing'
  }
}

export async function askAnew(world: World, api: Api, kind: Kind): Promise<string> {
  const merchant = world.random.pick(world.merchants)
  const asked = newRequest(world, kind)
  merchant.requests.push(asked)
  return await submit(world, api, merchant, asked)
}

/** Refusals after which the same request may have left a record: its first answer was lost. */
const unclearRefusals = ['E-API-D.S-28', 'SERVICE_UNAVAILABLE']

async function submit(world: World, api: Api, merchant: Merchant, asked: Asked): Promise<string> {
  world.counts.requests++
  const heard = await ask(world, api, (on) => send(on, merchant, asked))
  if (heard === 'nothing' || 'answer' in heard || unclearRefusals.includes(heard.refusal)) {
    asked.mayBeThere = true
  }
  if (heard === 'nothing') return 'silence'
  if ('refusal' in heard) {
    const { refusal } = heard
    if (refusal === 'IDEMPOTENCY_KEY_REUSED') problem(world, `its own key is refused: ${asked.key}`)
    return refusal
  }
  if (asked.id !== undefined && asked.id !== heard.answer) {
    problem(world, `${asked.reference} was ${asked.id} and is now ${heard.answer}`)
  }
  if (asked.id === undefined) world.counts.accepted++
  asked.id = heard.answer
  return 'accepted'
}

/** The same again, under the same key and reference. */
export async function repeat(world: World, api: Api): Promise<string> {
  const found = anyRequest(world)
  if (!found) return 'nothing to repeat'
  const { merchant, asked } = found
  return await submit(world, api, merchant, asked)
}

/** Another amount under a key or a reference that is used: it must not be taken. */
export async function repeatChanged(world: World, api: Api): Promise<string> {
  const found = anyRequest(world, ({ id }) => id !== undefined)
  if (!found) return 'nothing to repeat'
  const { merchant, asked } = found
  world.counts.requests++
  const body = { ...asked.body, amount: asked.body.amount + 1 }
  const key = world.random.chance(0.5) ? asked.key : null
  const heard = await ask(world, api, (on) => send(on, merchant, { ...asked, key, body }))
  if (heard === 'nothing') return 'silence'
  if ('refusal' in heard) return heard.refusal
  problem(world, `${asked.reference} was taken again with another amount: ${heard.answer}`)
  return 'taken'
}

type Waiting = { id: string; slot: number; accountId: string; step: string }

/** A customer answers, rightly or not, what a charge waits for. */
export async function authorise(world: World, api: Api): Promise<string> {
  const waiting = await world.db<Waiting[]>`
    select id, slot, account_id as "accountId", step_required as step from transactions
    where kind = 'charge' and state = 'awaiting' and step_required <> 'redirect' order by id`
  if (waiting.length === 0) return 'nobody waits'
  const { id, slot, accountId, step } = world.random.pick(waiting)
  const value = world.random.chance(0.75) ? rightValue : '9999'
  const owner = { accountId, slot, environment: 'sandbox' as const }
  const given = { type: step, value }
  return said(await ask(world, api, ({ charges }) => charges.authorise(owner, id, given)))
}

/** A client plays the rail, as the sandbox allows. */
export async function simulate(world: World, api: Api): Promise<string> {
  const found = anyRequest(world, ({ id, kind }) => id !== undefined && kind !== 'bank')
  if (!found) return 'nothing to simulate'
  const { merchant, asked } = found
  const outcome = world.random.pick(['succeeded', 'failed'] as const)
  world.simulated.add(asked.id!)
  const heard = await ask(world, api, ({ payouts, charges }) => {
    const of = asked.kind === 'payout' ? payouts : charges
    return of.simulateOutcome(merchant.owner.slot, asked.id!, outcome)
  })
  return said(heard)
}

const readsOf = ({ db }: Api['process']) => createTransactionReads(db)

/** Reads one of its own, which repairs it, and sees what it knows of it. */
export async function read(world: World, api: Api): Promise<string> {
  const found = anyRequest(world, ({ id }) => id !== undefined)
  if (!found) return 'nothing to read'
  const { merchant, asked } = found
  const { owner } = merchant
  const heard = await ask(world, api, async ({ payouts, charges, process }) => {
    const { repair } = asked.kind === 'payout' ? payouts : charges
    world.hasty.add(process)
    await repair(owner.slot, asked.id!).finally(() => world.hasty.delete(process))
    return await readTransaction(readsOf(process), owner, asked.id!)
  })
  if (heard === 'nothing') return 'silence'
  if ('refusal' in heard) {
    problem(world, `${asked.id} was answered and cannot be read: ${heard.refusal}`)
    return heard.refusal
  }
  if (heard.answer.externalReference !== asked.reference) {
    problem(world, `${asked.id} reads as ${heard.answer.externalReference}`)
  }
  return heard.answer.status
}

/** Tries to reach what belongs to another. */
export async function pry(world: World, api: Api): Promise<string> {
  const found = anyRequest(world, ({ id }) => id !== undefined)
  if (!found) return 'nothing to pry into'
  const { merchant, asked } = found
  const stranger = world.random.pick(world.merchants.filter((each) => each !== merchant))
  const { owner } = stranger
  const tries = [
    ({ process }: Api) => readTransaction(readsOf(process), owner, asked.id!),
    ({ process }: Api) => readTransaction(readsOf(process), owner, asked.reference),
    ({ charges }: Api) => charges.authorise(owner, asked.id!, { type: 'otp', value: rightValue }),
    ({ process }: Api) =>
      listTransactions(readsOf(process), owner, { after: asked.id!, limit: 10 }),
  ]
  const heard = await ask(world, api, world.random.pick<(api: Api) => Promise<unknown>>(tries))
  if (heard !== 'nothing' && 'answer' in heard) problem(world, `${asked.id} is shown to a stranger`)
  return said(heard)
}

/** Wants an event once more, its own or, which must fail, that of another. */
export async function resend(world: World, api: Api): Promise<string> {
  const { random } = world
  const [reception] = world.receivers.log.slice(random.int(world.receivers.log.length || 1))
  if (!reception) return 'nothing to resend'
  const { owner, origin } = random.pick(world.merchants)
  world.unordered.add(reception.transactionId)
  world.delivered.delete(reception.webhookId)
  const heard = await ask(world, api, ({ process }) =>
    resendWebhook(process.db, world.clock, owner, reception.webhookId),
  )
  const isAllowed = heard !== 'nothing' && 'answer' in heard
  if (isAllowed && origin !== reception.origin) {
    problem(world, `${reception.webhookId} was sent again for a stranger`)
  }
  return said(heard)
}

function said(heard: Heard<unknown>): string {
  if (heard === 'nothing') return 'silence'
  return 'refusal' in heard ? heard.refusal : 'answered'
}

function anyRequest(world: World, which: (asked: Asked) => boolean = () => true) {
  const { random } = world
  const merchant = random.pick(world.merchants)
  const requests = merchant.requests.filter(which)
  return requests.length === 0 ? undefined : { merchant, asked: random.pick(requests) }
}
