import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  arrivalsOf,
  assertAllSettled,
  attemptsOf,
  balanceOf,
  findingsOf,
  houseBalance,
  openWorld,
  payoutTo,
  recordOf,
  setFeePlan,
  toldOf,
} from '../../test/payout-world.ts'

const submitted = 'sandbox submit accepted'
const noAnswer = 'sandbox submit unclear'
const neverHeard = ['sandbox submit unclear', 'sandbox lookup unknown']
const paidByCallback = 'sandbox callback succeeded'
const failedByCallback = 'sandbox callback failed'
const quarterHourMs = 15 * 60_000
const once = { sandbox: 1 }

type Expected = {
  failureReason: string | null
  attempts: string[]
  arrivals: Record<string, number>
  findings?: string[]
  lastsMs?: number
}

const paid = {
  failureReason: null,
  attempts: [submitted, paidByCallback],
  arrivals: once,
}
const failed = (failureReason: string) => ({
  failureReason,
  attempts: [submitted, failedByCallback],
  arrivals: once,
})

/** The page on the sandbox, as far as it is about payouts, by the last digits of the number. */
const expected: Record<string, Expected> = {
  '000': paid,
  '001': failed('The customer declined.'),
  '002': failed('Insufficient balance.'),
  '003': {
    failureReason: 'Nobody answered in time.',
    attempts: [submitted, ...Array(15).fill('sandbox lookup pending'), failedByCallback],
    arrivals: once,
    lastsMs: quarterHourMs,
  },
  '004': paid,
  '005': { ...paid, attempts: [noAnswer, paidByCallback] },
  '006': {
    failureReason: 'No rail could take the payment.',
    attempts: [...neverHeard, ...neverHeard, ...neverHeard],
    arrivals: {},
    findings: [],
    lastsMs: 3000,
  },
  '007': { ...paid, findings: ['applied', 'repeated'] },
  '008': failed('The account was not found.'),
  '123': paid,
}

const railBalance = () => houseBalance(world, 'rail:sandbox', 'KES')
const feeBalance = () => houseBalance(world, 'fees', 'KES')

const world = await openWorld({ after })
await setFeePlan(world, [{ kind: 'payout', percentBasisPoints: 0, fixedMinor: 700 }])

for (const [suffix, want] of Object.entries(expected)) {
  test(`a payout to a number that ends with ${suffix} goes its whole way`, async () => {
    const before = await balanceOf(world)
    const house = { rail: await railBalance(), fees: await feeBalance() }
    const id = await world.paid(payoutTo(suffix))
    const cost = 100_700n
    const held = { available: before.available - cost, held: cost }
    assert.deepEqual(await balanceOf(world), held)
    const lastsMs = want.lastsMs ?? 1000
    await world.drive(lastsMs - 1, lastsMs > 60_000 ? 30_000 : 1000)
    assert.equal((await recordOf(world, id)).status, 'pending')
    assert.deepEqual(await balanceOf(world), held)
    assert.deepEqual(await toldOf(world, id), ['1 transaction_created pending'])

    await world.drive(1)
    const isPaid = want.failureReason === null
    const shown = await world.read(id)
    assert.equal(shown.status, isPaid ? 'SUCCESSFUL' : 'FAILED')
    assert.equal(shown.failureReason, want.failureReason)
    const { state, dueAt } = await recordOf(world, id)
    assert.deepEqual({ state, dueAt }, { state: isPaid ? 'succeeded' : 'failed', dueAt: null })
    const left = before.available - (isPaid ? cost : 0n)
    assert.deepEqual(await balanceOf(world), { available: left, held: 0n })
    assert.equal((await railBalance()) - house.rail, isPaid ? 100_000n : 0n)
    assert.equal((await feeBalance()) - house.fees, isPaid ? 700n : 0n)
    assert.deepEqual(await attemptsOf(world, id), want.attempts)
    assert.deepEqual(await arrivalsOf(world, id), want.arrivals)
    assert.deepEqual(await findingsOf(world, id), want.findings ?? ['applied'])
    assert.deepEqual(await toldOf(world, id), [
      '1 transaction_created pending',
      `2 transaction_updated ${isPaid ? 'successful' : 'failed'}`,
    ])
    await assertAllSettled(world)
  })
}
