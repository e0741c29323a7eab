import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  assertAllSettled,
  assertBooks,
  attemptsOf,
  balanceOf,
  findingsOf,
  openWorld,
  payoutTo,
  recordOf,
  secret,
  toldOf,
  type World,
} from '../../test/payout-world.ts'
import { signed } from '../rails/sandbox/rail.ts'
import { handleCallbacks } from './callbacks.ts'

const usual = { direction: 'payout', amount: '100000', currency: 'KES', reference: 'SBX-1' }

/** A payout that a silent rail has taken: only the callbacks of the test decide. */
async function silentPayout(t: TestContext): Promise<{ world: World; id: string }> {
  const world = await openWorld(t)
  const id = await world.paid(payoutTo('003'))
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'submitted')
  return { world, id }
}

async function say(world: World, key: string, kind: string, more: object = {}): Promise<void> {
  await world.receive({ ...usual, key, kind, ...more })
  world.clock.advance(1)
}

const applied = /^applied$/
const repeated = /^repeated$/
const contradiction = /^contradiction/

/** What arrives, what becomes of it, and the state it ends in. */
const sequences: [string, string[], RegExp[], string][] = [
  [
    'a repeated success',
    ['succeeded', 'succeeded', 'succeeded'],
    [applied, repeated, repeated],
    'succeeded',
  ],
  ['a repeated failure', ['failed', 'failed'], [applied, repeated], 'failed'],
  ['a failure after the success', ['succeeded', 'failed'], [applied, contradiction], 'succeeded'],
  ['a success after the failure', ['failed', 'succeeded'], [applied, contradiction], 'failed'],
  // Handled together, the word that it is on its way may still be written before the result.
  ['a late word on its way', ['succeeded', 'pending'], [applied, /applied|repeated/], 'succeeded'],
]

test('however often and in whatever order news comes, it settles once', async (t) => {
  const world = await openWorld(t)
  for (const [name, kinds, findings, state] of sequences) {
    for (const together of [true, false]) {
      const id = await world.paid(payoutTo('003'))
      await world.settle()
      for (const kind of kinds) {
        await say(world, id, kind)
        if (!together) await handleCallbacks(world.parts)
      }
      await world.settle()
      assert.equal((await recordOf(world, id)).state, state, name)
      const found = await findingsOf(world, id)
      findings.forEach((finding, index) => {
        assert.match(String(found[index]), finding, name)
      })
      assert.equal((await toldOf(world, id)).length, 2, name)
      await assertAllSettled(world)
    }
  }
})

test('news that does not match our record is not believed, and the rail is asked', async (t) => {
  const { world, id } = await silentPayout(t)
  await say(world, id, 'succeeded', { amount: '100001' })
  await handleCallbacks(world.parts)
  assert.ok((await recordOf(world, id)).dueAt!.getTime() <= world.clock.now())
  await world.settle()
  await say(world, id, 'succeeded', { currency: 'UGX' })
  await world.settle()
  assert.deepEqual(await findingsOf(world, id), [
    'not believed: the amount is 100001, ours is 100000',
    'not believed: the currency is UGX, ours is KES',
  ])
  assert.equal((await recordOf(world, id)).state, 'submitted')
  assert.deepEqual((await attemptsOf(world, id)).slice(1), Array(2).fill('sandbox lookup pending'))
  assert.equal((await balanceOf(world)).held, 100_000n)
  await assertBooks(world)
})

test('news of a payment we do not have changes nothing and is kept', async (t) => {
  const { world, id } = await silentPayout(t)
  const stranger = world.node.ids.next(world.account.slot)
  for (const key of [stranger, 'no id of ours', '']) await say(world, key, 'succeeded')
  await world.settle()
  const rows = await world.db<{ finding: string }[]>`select finding from rail_callbacks`
  assert.deepEqual(
    rows.map(({ finding }) => finding),
    Array(3).fill('not believed: there is no such payment'),
  )
  assert.equal((await recordOf(world, id)).state, 'submitted')
})

test('news from a rail that does not have the payment is not believed', async (t) => {
  const rails = ['sandbox', 'other'].map((name) => ({ name, faults: {} }))
  const world = await openWorld(t, { rails })
  const id = await world.paid(payoutTo('003'))
  await world.settle()
  await world.receive({ ...usual, key: id, kind: 'succeeded' }, 'other')
  await world.settle()
  assert.match(String((await findingsOf(world, id))[0]), contradiction)
  assert.equal((await recordOf(world, id)).state, 'submitted')
})

test('news that arrives before our own call has returned is applied once', async (t) => {
  const world = await openWorld(t)
  const id = await world.paid(payoutTo('000'))
  await world.db`
    update transactions set state = 'submitting', submitted_at = now(), due_at = ${new Date(
      world.clock.now() + 60_000,
    )} where id = ${id}`
  await say(world, id, 'succeeded')
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  await assertAllSettled(world)
})

test('one callback that cannot be handled does not hold up the others', async (t) => {
  const world = await openWorld(t)
  const broken = await world.paid(payoutTo('003'))
  const whole = await world.paid(payoutTo('003', { debitCurrency: 'UGX' }))
  await world.settle()
  // Somebody tampered with the books: the money this payout holds is not there.
  await world.db`update wallets set held = 0 where currency = 'KES' and held > 0`
  const { slot } = world.account
  await world.db`insert into rail_callbacks ${world.db({
    ...{ slot, id: world.node.ids.next(slot), rail: 'sandbox', transaction_id: whole },
    ...{ outcome: 'exploded', received_at: new Date(0) },
  })}`
  await say(world, broken, 'succeeded')
  await say(world, whole, 'succeeded')
  await handleCallbacks(world.parts)
  assert.match(String((await findingsOf(world, broken))[0]), /^fault: .*held money/)
  assert.deepEqual(await findingsOf(world, whole), [
    'not believed: exploded is no news we know',
    'applied',
  ])
  assert.equal((await recordOf(world, broken)).state, 'submitted')
  assert.equal((await recordOf(world, whole)).state, 'succeeded')
  assert.equal(await handleCallbacks(world.parts), 0)
})

test('two nodes that handle the same news settle once', async (t) => {
  const { world, id } = await silentPayout(t)
  const other = await world.join()
  for (const kind of ['succeeded', 'succeeded', 'failed']) await say(world, id, kind)
  await Promise.all([handleCallbacks(world.parts), handleCallbacks(other.payouts.parts)])
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'succeeded')
  assert.equal((await toldOf(world, id)).length, 2)
  await assertAllSettled(world)
})

test('the route of callbacks takes what the rail signed, and nothing else', async (t) => {
  const { world, id } = await silentPayout(t)
  const { headers, body } = signed({ ...usual, key: id, kind: 'succeeded' }, secret)
  const post = async (more: {
    url?: string
    headers?: Record<string, string>
    payload?: string
  }) => {
    const url = '/rails/sandbox/callbacks'
    const given = { url, headers: { ...headers }, payload: body.toString(), ...more }
    return (await world.node.send({ method: 'POST', ...given })).status
  }
  const tampered = body.toString().replace('100000', '900000')
  assert.equal(await post({ payload: tampered }), 401)
  assert.equal(await post({ headers: {} }), 401)
  assert.equal(await post({ headers: { 'x-sandbox-signature': 'zz' } }), 401)
  assert.equal(await post({ headers: { 'x-sandbox-signature': 'ab'.repeat(32) } }), 401)
  assert.equal(await post({ payload: '' }), 401)
  assert.equal(await post({ url: '/rails/nobody/callbacks' }), 404)
  const nonsense = [
    ...[null, [], 'text', 7, {}, { ...usual, key: id }, { ...usual, key: id, kind: 'exploded' }],
    ...[
      { ...usual, key: id, kind: 'succeeded', amount: '1.5' },
      { ...usual, key: 5, kind: 'failed' },
    ],
    ...[{ ...usual, key: id, kind: 'succeeded', amount: '9'.repeat(30) }],
    ...[{ ...usual, key: id, kind: 'failed', reason: '\0' }],
  ]
  for (const content of nonsense) {
    const message = signed(content as object, secret)
    const payload = message.body.toString()
    assert.equal(await post({ headers: { ...message.headers }, payload }), 400, payload)
  }
  assert.equal((await world.db`select from rail_callbacks`).length, 0)
  assert.equal(await post({}), 200)
  assert.equal((await recordOf(world, id)).state, 'submitted', 'the route does not act by itself')
  await world.settle()
  assert.equal((await recordOf(world, id)).state, 'succeeded')
})
