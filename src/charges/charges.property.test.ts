import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../../test/app-harness.ts'
import { assertBooksAgree } from '../../test/charge-books.ts'
import { cardDetails, openTill, startChargeWorld, storyOf } from '../../test/charge-world.ts'
import { handleChargeCallbacks } from './callbacks.ts'
import { askAboutCharge } from './send.ts'
import { readCharge } from './store.ts'
import { attendDueCharges } from './worker.ts'

const world = await startChargeWorld({ after })
const till = await openTill(world)
const { charges, payouts } = world
const rail = charges.parts.routing.byName('sandbox')!
const longestDeadlineMs = 2 * 3_600_000

const kinds: Record<string, () => Promise<Answer>> = {
  phone: () => till.momo(),
  'silent phone': () => till.momo({ phoneNumber: '+254700000003' }),
  'phone with otp': () => till.momo({ phoneNumber: '+254700000004' }),
  'phone that answers late': () => till.momo({ phoneNumber: '+254700000005' }),
  'card with pin': () => till.card({ cardDetails: cardDetails('5531886652142950') }),
  'bank transfer': () => till.bankTransfer(),
}

/** One charge, with what an action needs to know of it. */
type Subject = { id: string; amount: string; currency: string; account: string }

const news = (kind: 'succeeded' | 'failed' | 'pending') => (on: Subject) => {
  const { id: key, amount, currency } = on
  return payouts.receiveCallback('sandbox', world.news({ key, kind, amount, currency }))
}
const arrives = (extra: bigint) => async (on: Subject) => {
  if (on.account === '') return
  const { account: accountNumber, currency } = on
  const amount = BigInt(on.amount) + extra
  const id = `${on.id} ${world.ids.next(0)}`
  await payouts.receiveCallback('sandbox', world.arrival({ id, accountNumber, amount, currency }))
}

const actions: Record<string, (on: Subject) => Promise<unknown>> = {
  'right otp': ({ id }) => till.authorise(id, 'otp', '123456'),
  'right card otp': ({ id }) => till.authorise(id, 'otp', '12345'),
  'right pin': ({ id }) => till.authorise(id, 'pin', '3310'),
  'wrong otp': ({ id }) => till.authorise(id, 'otp', '999999'),
  'told succeeded': news('succeeded'),
  'told failed': news('failed'),
  'told pending': news('pending'),
  'exact transfer': arrives(0n),
  'other transfer': arrives(1n),
  handle: () => handleChargeCallbacks(charges.parts),
  attend: () => attendDueCharges(charges.parts),
  async lookup({ id }) {
    const charge = (await readCharge(world.db, till.owner.slot, id))!
    await askAboutCharge(charges.parts, rail, charge, 1000)
  },
  simulate: ({ id }) => charges.simulateOutcome(till.owner.slot, id, 'succeeded'),
  'a second': async () => world.clock.advance(1000),
  'ten minutes': async () => world.clock.advance(600_000),
  everything: () => world.work(),
}

const newsOfSuccess = (id: string) =>
  world.db`select 1 from rail_callbacks where transaction_id = ${id} and outcome = 'succeeded'`

test('whatever happens to a charge at once or in a row, it ends once and the books agree', async () => {
  const name = fc.constantFrom(...Object.keys(actions))
  const rounds = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(kinds)), rounds, async (kind, happening) => {
      const { body, text } = await kinds[kind]!()
      const data = (body.data ?? body) as Record<string, never>
      const id = String(data.transactionId)
      assert.match(id, /-/, text)
      const charge = (await readCharge(world.db, till.owner.slot, id))!
      const { currency } = charge
      const isBank = charge.method === 'bank'
      const account = isBank ? charge.accountNumber : ''
      const subject = { id, amount: String(charge.amount), currency, account }
      for (const round of happening) {
        // News of a payment into an account comes as an arrival, and in no other way.
        const fitting = round.filter((each) => !(isBank && each.startsWith('told')))
        await Promise.all(fitting.map((each) => actions[each]!(subject)))
      }
      await world.work()
      await world.pass(longestDeadlineMs)
      const { state, told, transfers, suspense } = await storyOf(world, id)
      const status = state === 'succeeded' ? 'successful' : 'failed'
      assert.ok(state === 'succeeded' || state === 'failed', state)
      assert.deepEqual(
        told.filter((each) => !each.startsWith('pending')),
        [status],
      )
      assert.equal(
        transfers.includes(`collected ${subject.amount} ${currency}`),
        status === 'successful',
      )
      // What the rail says it collected has a home, one way or the other.
      const isCollected = (await newsOfSuccess(id)).length > 0
      if (isCollected && state === 'failed') assert.equal(suspense.length, 1)
      await assertBooksAgree(world.db)
    }),
    { numRuns: 40 },
  )
})
