import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  assertAllSettled,
  assertBooks,
  balanceOf,
  houseBalance,
  openWorld,
  payoutTo,
  setFeePlan,
  type World,
} from '../../test/payout-world.ts'
import { type FeeRule, feeFor } from '../merchants/fee-plan.ts'
import { numberFromMinor } from '../money/amounts.ts'
import { heldPosting, paidPosting, returnedPosting } from './postings.ts'

type Way = {
  name: string
  body: Record<string, unknown>
  wallet: [currency: string, country: string]
  currency: string
  amountMinor: bigint
}

const ugandan = {
  ...{ currency: 'UGX', country: 'UG', amount: 370_000, destination: 'MoMo' },
  payoutMethod: { accountName: 'Ssanyu', accountNumber: '+256700000000', code: 'airtel' },
}

const ways: Way[] = [
  {
    name: 'a USD wallet pays KES',
    body: { debitCurrency: 'USD', debitCountry: 'US' },
    ...{ wallet: ['USD', 'US'], currency: 'KES', amountMinor: 100_000n },
  },
  {
    name: 'a KES wallet pays UGX',
    body: { ...ugandan, debitCurrency: 'KES' },
    ...{ wallet: ['KES', 'KE'], currency: 'UGX', amountMinor: 370_000n },
  },
  {
    name: 'the XOF wallet of one country pays KES',
    body: { debitCurrency: 'XOF', debitCountry: 'CI' },
    ...{ wallet: ['XOF', 'CI'], currency: 'KES', amountMinor: 100_000n },
  },
]

async function house(world: World, currency: string) {
  const [fx, rail, fees] = await Promise.all(
    ['fx', 'rail:sandbox', 'fees'].map((account) => houseBalance(world, account, currency)),
  )
  return { fx, rail, fees }
}

test('a conversion moves each currency through our position, and a failure returns it whole', async (t) => {
  const world = await openWorld(t)
  await setFeePlan(world, [{ kind: 'payout', percentBasisPoints: 150, fixedMinor: 30 }])
  for (const { name, body, wallet, currency, amountMinor } of ways) {
    const [debitCurrency] = wallet
    const start = await balanceOf(world, ...wallet)
    const payoutMethod = (suffix: string) => {
      const method = (body.payoutMethod ?? payoutTo(suffix).payoutMethod) as object
      const number = currency === 'UGX' ? `+256700000${suffix}` : `+254700000${suffix}`
      return { payoutMethod: { ...method, accountNumber: number } }
    }
    const houseBefore = await house(world, debitCurrency)
    await world.paid(payoutTo('001', { ...body, ...payoutMethod('001') }))
    assert.ok((await balanceOf(world, ...wallet)).held > 0n)
    await world.drive(1000)
    assert.deepEqual(await balanceOf(world, ...wallet), start, `${name}, returned`)
    assert.deepEqual(await house(world, debitCurrency), houseBefore)

    const [target, debit] = [await house(world, currency), await house(world, debitCurrency)]
    const id = await world.paid(payoutTo('000', { ...body, ...payoutMethod('000') }))
    await world.drive(1000)
    const end = await balanceOf(world, ...wallet)
    const [row] = await world.db<{ walletAmount: bigint; fee: bigint; rate: string }[]>`
      select wallet_amount as "walletAmount", fee, exchange_rate as rate from transactions
      where id = ${id}`
    const { walletAmount, fee, rate } = row!
    assert.ok(Number(rate) > 0, 'the rate is on the record')
    assert.deepEqual(end, { available: start.available - walletAmount - fee, held: 0n }, name)
    const after = await house(world, debitCurrency)
    assert.equal(after.fx! - debit.fx!, walletAmount, 'we have got what the wallet gave')
    assert.equal(after.fees! - debit.fees!, fee)
    const paid = await house(world, currency)
    assert.equal(paid.fx! - target.fx!, -amountMinor, 'we have given what the rail paid')
    assert.equal(paid.rail! - target.rail!, amountMinor)
  }
  await assertAllSettled(world)
})

test('a currency of several countries needs its country said, unless it is the one paid', async (t) => {
  const world = await openWorld(t)
  const { body } = await world.pay(payoutTo('000', { debitCurrency: 'XOF' }))
  assert.equal(body.errorCode, 'DEBIT_COUNTRY_REQUIRED')
  const before = await balanceOf(world, 'XOF', 'SN')
  await world.paid(
    payoutTo('000', {
      ...{ currency: 'XOF', country: 'SN', amount: 500 },
      payoutMethod: { accountName: 'Awa', accountNumber: '+221770000000', code: 'orange' },
    }),
  )
  const { available, held } = await balanceOf(world, 'XOF', 'SN')
  assert.deepEqual({ available, held }, { available: before.available - 500n, held: 500n })
})

const rule = { kind: 'payout', percentBasisPoints: 100, fixedMinor: 100 } as const
const bounded = { ...rule, minMinor: 500, maxMinor: 2000 }

test('fees are percent and fixed part, at least the least and at most the most', async (t) => {
  const world = await openWorld(t)
  await setFeePlan(world, [bounded])
  for (const [amount, fee] of [
    [10, 500n],
    [1000, 1100n],
    [100_000, 2000n],
  ] as const) {
    const before = await houseBalance(world, 'fees', 'KES')
    const id = await world.paid(payoutTo('000', { amount }))
    await world.drive(1000)
    assert.equal((await houseBalance(world, 'fees', 'KES')) - before, fee)
    assert.equal((await world.read(id)).fee, numberFromMinor(fee, 'KES'))
  }
  await assertAllSettled(world)
})

test('the first rule that fits is the fee, and without one there is none', () => {
  const query = { kind: 'payout', method: 'momo', currency: 'KES' } as const
  const feeBy = (...plan: FeeRule[]) => feeFor(plan, query, 100_000n)
  assert.equal(feeBy(), 0n)
  assert.equal(feeBy({ ...rule, method: 'bank' }), 0n)
  assert.equal(feeBy({ ...rule, kind: 'charge' }), 0n)
  assert.equal(feeBy({ ...rule, currency: 'UGX' }, { ...rule, fixedMinor: 7 }), 1007n)
  assert.equal(feeBy({ ...rule, method: 'momo', currency: 'KES' }, bounded), 1100n)
})

const money = fc.bigInt({ min: 1n, max: 10n ** 15n })
const priced = fc.record({
  ...{ amount: money, walletAmount: money, fee: fc.bigInt({ min: 0n, max: 10n ** 12n }) },
  walletCurrency: fc.constantFrom('KES', 'USD', 'UGX'),
})

test('whatever the amounts and the rate, no posting makes or loses money', () => {
  fc.assert(
    fc.property(priced, fc.boolean(), ({ walletAmount, walletCurrency, ...rest }, pays) => {
      const isConverted = walletCurrency !== 'KES'
      const payout = {
        ...({ slot: 1, id: 'p', environment: 'sandbox', currency: 'KES', walletId: 'w' } as const),
        ...{ ...rest, walletCurrency, walletAmount: isConverted ? walletAmount : rest.amount },
      }
      const end = pays ? paidPosting(payout, 'sandbox') : returnedPosting(payout)
      const sums = new Map<string, bigint>()
      for (const { debit, credit, amount, currency } of [
        ...heldPosting(payout).transfers,
        ...end.transfers,
      ]) {
        for (const [account, change] of [
          [debit, -amount],
          [credit, amount],
        ] as const) {
          const key = `${account} ${currency}`
          sums.set(key, (sums.get(key) ?? 0n) + change)
        }
      }
      const sum = (key: string) => sums.get(key) ?? 0n
      assert.equal(sum(`held ${walletCurrency}`), 0n)
      const cost = pays ? payout.walletAmount + payout.fee : 0n
      assert.equal(sum(`wallet ${walletCurrency}`), -cost)
      assert.equal(sum(`fees ${walletCurrency}`), pays ? payout.fee : 0n)
      assert.equal(sum('rail:sandbox KES'), pays ? payout.amount : 0n)
      if (isConverted) {
        assert.equal(sum(`fx ${walletCurrency}`), pays ? payout.walletAmount : 0n)
        assert.equal(sum('fx KES'), pays ? -payout.amount : 0n)
      }
    }),
  )
})

test('money that goes out and comes in again at our rates is never more than it was', async (t) => {
  const { node } = await openWorld(t)
  const currencies = fc.constantFrom('KES', 'UGX', 'USD', 'XOF', 'NGN', 'ZMW')
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 13n })
  fc.assert(
    fc.property(amounts, currencies, currencies, (amountMinor, currency, debitCurrency) => {
      const asked = { environment: 'sandbox', amountMinor, currency } as const
      const { debitMinor } = node.rates.costOf({ ...asked, debitCurrency })
      assert.ok(debitMinor > 0n)
      const { walletMinor } = node.rates.proceedsOf({
        ...asked,
        walletCurrency: debitCurrency,
        environment: 'sandbox' as const,
      })
      assert.ok(walletMinor <= debitMinor)
      const back = { ...asked, amountMinor: debitMinor, currency: debitCurrency }
      assert.ok(
        node.rates.costOf({ ...back, debitCurrency: currency, environment: 'sandbox' as const })
          .debitMinor >= amountMinor,
      )
    }),
  )
  await assertBooks(node)
})
