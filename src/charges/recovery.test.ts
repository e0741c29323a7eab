import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { cardDetails, openTill, startChargeWorld, storyOf } from '../../test/charge-world.ts'
import { waitFor } from '../../test/harness.ts'
import { AppError } from '../errors.ts'
import type { ChargeLookup, ChargeOutcome } from '../rails/rail.ts'

const world = await startChargeWorld({ after })
const { charges } = world
const rail = charges.parts.routing.byName('sandbox')!.charges!
const real = { ...rail }
const leaseMs = 61_000
const notTaken = 'No rail could take the payment.'

/** The rail as a test wants it, until its end. */
function railWith(t: { after(run: () => void): void }, changes: Partial<typeof rail>): void {
  Object.assign(rail, changes)
  t.after(() => void Object.assign(rail, real))
}

/** A process that dies while it asks the rail: its answer never comes, until the test lets it. */
function dying(takes: boolean) {
  const late = Promise.withResolvers<ChargeOutcome>()
  const asked = Promise.withResolvers<void>()
  const create: typeof rail.create = async (order, signal) => {
    if (takes) await real.create(order, signal)
    asked.resolve()
    return late.promise
  }
  return { create, asked: asked.promise, die: () => late.resolve({ kind: 'unclear', said: 'x' }) }
}

async function idOf(externalReference: string): Promise<string> {
  const [row] = await world.db<{ id: string }[]>`
    select id from transactions where external_reference = ${externalReference}`
  return row!.id
}

test('a card charge whose process died before the rail was asked fails, and says so', async (t) => {
  const till = await openTill(world)
  const { create, asked, die } = dying(false)
  railWith(t, { create })
  const answer = till.card({ externalReference: 'died before' })
  await asked
  const id = await idOf('died before')
  await world.pass(leaseMs)
  const { state, reason, told } = await storyOf(world, id)
  assert.deepEqual([state, reason, told], ['failed', notTaken, ['pending', 'failed']])
  die()
  assert.equal((await answer).status, 200)
  assert.equal((await storyOf(world, id)).state, 'failed')
})

test('a request that stood still until others may have given its charge up sends no card', async (t) => {
  const till = await openTill(world)
  let sent = 0
  railWith(t, {
    create: (order, signal) => {
      sent++
      return real.create(order, signal)
    },
  })
  const { routing } = charges.parts
  const { byName } = routing
  t.after(() => void Object.assign(routing, { byName }))
  Object.assign(routing, {
    byName(name: string) {
      world.clock.advance(leaseMs)
      return byName(name)
    },
  })
  const id = await till.accepted(till.card({ externalReference: 'stood still' }))
  Object.assign(routing, { byName })
  await world.pass(leaseMs)
  const { state, reason, told } = await storyOf(world, id)
  assert.deepEqual([sent, state, reason, told], [0, 'failed', notTaken, ['pending', 'failed']])
})

test('"never heard of it" is as old as the question, however late the answer is read', async (t) => {
  const till = await openTill(world)
  const { promises } = charges.parts.routing.byName('sandbox')!
  const before = { ...promises }
  t.after(() => void Object.assign(promises, before))
  Object.assign(promises, { unknownIsFinalAfterMs: 20_000 })
  railWith(t, {
    create: () => Promise.reject(new Error('no answer')),
    async lookup() {
      world.clock.advance(20_000)
      return { kind: 'unknown', said: 'never heard of it' }
    },
  })
  const id = await till.accepted(till.card({ externalReference: 'read late' }))
  await world.pass(1000)
  assert.equal((await storyOf(world, id)).state, 'unclear')
})

test('a card charge whose process died after the rail took it settles once', async (t) => {
  const till = await openTill(world)
  const { create, asked, die } = dying(true)
  railWith(t, { create })
  const answer = till.card({ externalReference: 'died after' })
  await asked
  const id = await idOf('died after')
  await world.pass(leaseMs)
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 2500 KES'])
  die()
  await answer
  assert.deepEqual((await storyOf(world, id)).told, ['pending', 'successful'])
})

test('a card that was lost with its process fails the pin step in good order', async (t) => {
  const till = await openTill(world)
  const { create, asked, die } = dying(true)
  railWith(t, { create })
  const pinCard = cardDetails('5531886652142950')
  const answer = till.card({ externalReference: 'died with card', cardDetails: pinCard })
  await asked
  const id = await idOf('died with card')
  await world.pass(leaseMs)
  assert.equal((await till.read(id)).stepRequired, 'pin')
  const { status, body } = await till.authorise(id, 'pin', '3310')
  assert.deepEqual([status, body.errorCode], [422, 'AUTHORISATION_FAILED'])
  assert.equal(body.message, 'The card has to be entered again.')
  const { state, reason } = await storyOf(world, id)
  assert.deepEqual([state, reason], ['failed', 'The card has to be entered again.'])
  die()
  await answer
})

test('a charge with a one-time code is never sent again without it', async (t) => {
  const till = await openTill(world)
  const { create, asked, die } = dying(false)
  const seen: (string | null)[] = []
  railWith(t, {
    create(order, signal) {
      seen.push(order.code)
      return create(order, signal)
    },
  })
  const fields = { currency: 'BWP', phoneNumber: '+26771234567', momoOperatorId: 'ott' }
  const voucher = { ...fields, voucherPin: '123456789012', externalReference: 'died with code' }
  const answer = till.momo(voucher)
  await asked
  await world.pass(leaseMs)
  const { state, reason } = await storyOf(world, await idOf('died with code'))
  assert.deepEqual([state, reason, seen], ['failed', notTaken, ['123456789012']])
  die()
  await answer
})

test('a virtual account that was opened and not stored is found by the repeated request', async (t) => {
  const till = await openTill(world)
  const { create, asked, die } = dying(true)
  railWith(t, { create })
  const externalReference = 'died with account'
  const first = till.bankTransfer({ externalReference }, 'account key')
  await asked
  await world.pass(leaseMs)
  Object.assign(rail, real)
  const again = await till.bankTransfer({ externalReference }, 'account key')
  assert.equal(again.status, 200, again.text)
  const data = again.body.data as {
    transactionId: string
    virtualAccount: { accountNumber: string }
  }
  const { accountNumber } = data.virtualAccount
  const path = '/utilities/simulate-bank-transfer'
  await till.call('POST', path, { accountNumber, amount: 20_000 })
  await world.work()
  assert.deepEqual((await storyOf(world, data.transactionId)).transfers, ['collected 2000000 NGN'])
  die()
  assert.equal((await first).status, 503)
})

test('where no account can be opened the caller is told, and the charge is over', async (t) => {
  const till = await openTill(world)
  railWith(t, { create: async () => ({ kind: 'unavailable', said: 'closed' }) })
  const { status, body } = await till.bankTransfer({ externalReference: 'no account' })
  assert.deepEqual([status, body.errorCode], [503, 'SERVICE_UNAVAILABLE'])
  assert.match(String(body.message), /under a new externalReference/)
  assert.equal((await storyOf(world, await idOf('no account'))).state, 'failed')
})

test('a phone charge waits for its rail to come back, and is sent once', async (t) => {
  const till = await openTill(world)
  let outages = 4
  railWith(t, {
    create: async (order, signal) =>
      outages-- > 0 ? { kind: 'unavailable', said: 'closed' } : real.create(order, signal),
  })
  const id = await till.accepted(till.momo())
  for (let turn = 0; turn < 8; turn++) await world.pass(2000)
  assert.equal((await storyOf(world, id)).state, 'succeeded')
  const [entry] = await world.db`select arrivals from sandbox_rail_book where key = ${id}`
  assert.equal(entry?.arrivals, 1)
})

test('a rail that stays away until the deadline leaves the charge expired', async (t) => {
  const till = await openTill(world)
  railWith(t, { create: async () => ({ kind: 'unavailable', said: 'closed' }) })
  const id = await till.accepted(till.momo())
  await world.work()
  await world.pass(15 * 60_000)
  assert.equal((await storyOf(world, id)).reason, 'expired')
})

test('a rail that throws is asked, and its answer counts', async (t) => {
  const till = await openTill(world)
  railWith(t, {
    async create(order, signal) {
      await real.create(order, signal)
      throw new Error('socket hang up')
    },
  })
  const ids = [await till.accepted(till.card()), await till.accepted(till.momo())]
  await world.work()
  await world.pass(2000)
  for (const id of ids) assert.equal((await storyOf(world, id)).state, 'succeeded')
})

test('a lookup that hears of success after the deadline keeps the money, once', async (t) => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000003' }))
  await world.work()
  const late = Promise.withResolvers<ChargeLookup>()
  const answers = [late.promise, Promise.resolve<ChargeLookup>({ kind: 'pending', said: 'wait' })]
  railWith(t, { lookup: () => answers.shift() ?? answers.at(-1)! })
  const looking = charges.repair(till.owner.slot, id)
  await waitFor(() => answers.length === 1)
  world.clock.advance(15 * 60_000)
  Object.assign(rail, { lookup: async () => ({ kind: 'pending', said: 'wait' }) })
  await world.work()
  late.resolve({ kind: 'succeeded', said: 'paid' })
  await looking
  const news = world.news({ key: id, amount: '150000', currency: 'KES' })
  await world.payouts.receiveCallback('sandbox', news)
  await world.work()
  const { state, suspense } = await storyOf(world, id)
  assert.equal(state, 'failed')
  assert.deepEqual(suspense, ['150000 The rail collected it after the charge had failed.'])
})

test('news that meets a passing fault is kept and acted upon later', async (t) => {
  const till = await openTill(world)
  const id = await till.accepted(till.momo({ phoneNumber: '+254700000003' }))
  await world.work()
  const { parts } = charges
  const { proceedsOf } = parts
  t.after(() => void Object.assign(parts, { proceedsOf }))
  parts.proceedsOf = async () => {
    throw new AppError('SERVICE_UNAVAILABLE')
  }
  const news = world.news({ key: id, amount: '150000', currency: 'KES' })
  await world.payouts.receiveCallback('sandbox', news)
  await assert.rejects(world.work())
  assert.equal((await storyOf(world, id)).state, 'processing')
  Object.assign(parts, { proceedsOf })
  await world.work()
  assert.deepEqual((await storyOf(world, id)).transfers, ['collected 150000 KES'])
})

test('after all of this the books agree', () => assertBooksAgree(world.db))

test('a simulated outcome really settles or fails the charge, and only a pending one', async () => {
  const till = await openTill(world)
  const before = await till.balance('KES', 'KE')
  const made = await Promise.all(
    ['successful', 'failed'].map(async (status) => {
      const externalReference = `simulated ${status}`
      const fields = { phoneNumber: '+254700000003', externalReference }
      const id = await till.accepted(till.momo(fields))
      return { id, externalReference, status }
    }),
  )
  await world.work()
  for (const { externalReference, status } of made) {
    for (const webhookStatus of [status, 'failed', 'successful']) {
      const body = { externalReference, webhookStatus }
      const answer = await till.call('POST', '/utilities/simulate-webhook', body)
      assert.equal(answer.status, 200, answer.text)
    }
  }
  const stories = await Promise.all(made.map(({ id }) => storyOf(world, id)))
  assert.deepEqual(
    stories.map(({ state, transfers }) => [state, transfers]),
    [
      ['succeeded', ['collected 150000 KES']],
      ['failed', []],
    ],
  )
  assert.equal((await till.balance('KES', 'KE')) - before, 150_000n)
})
