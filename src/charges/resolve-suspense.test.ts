import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startNode } from '../../test/app-harness.ts'
import { assertBooksAgree } from '../../test/charge-books.ts'
import {
  type ChargeWorld,
  chargeWorldOn,
  openTill,
  storyOf,
  type Till,
} from '../../test/charge-world.ts'
import { type Ended, runCommand, type Settings, settingsFor } from '../../test/command-line.ts'
import { type TestDatabase, testDatabase } from '../../test/harness.ts'
import { manualClock } from '../clock.ts'
import { creditSuspense, findSuspense, listSuspense, returnSuspense } from './resolve-suspense.ts'

describe('money in suspense', () => {
  const ending: (() => Promise<void>)[] = []
  let database: TestDatabase
  let world: ChargeWorld
  let till: Till
  let settings: Settings
  const run = (...args: string[]): Promise<Ended> => runCommand(settings, ['suspense', ...args])
  const parts = () => ({
    ...{ db: world.db, ids: world.ids, actor: 'test', now: new Date(world.clock.now()) },
  })

  before(async () => {
    database = await testDatabase()
    settings = settingsFor(database.url)
    const clock = manualClock(Date.now())
    const node = await startNode({ after: (run) => void ending.push(run) }, database.url, { clock })
    world = chargeWorldOn(node, clock)
    till = await openTill(world)
  })
  after(async () => {
    for (const end of ending) await end()
    await database.drop()
  })

  /** A short transfer, and the item it makes. */
  async function suspended(amount = 100): Promise<{ id: string; chargeId: string }> {
    const { body } = await till.bankTransfer()
    const data = body.data as { transactionId: string; virtualAccount: { accountNumber: string } }
    const { accountNumber } = data.virtualAccount
    await till.call('POST', '/utilities/simulate-bank-transfer', { accountNumber, amount })
    await world.work()
    const [item] = await world.db<{ id: string }[]>`
      select id from suspense_items where transaction_id = ${data.transactionId}`
    return { id: item!.id, chargeId: data.transactionId }
  }

  test('it is given to a wallet once, by whoever comes first, and put on record', async () => {
    const { id, chargeId } = await suspended()
    const before = await till.balance('NGN', 'NG')
    const told = (await storyOf(world, chargeId)).told
    const outcomes = await Promise.all([
      ...Array.from({ length: 4 }, () => creditSuspense(parts(), id, till.owner, 'NG')),
      ...Array.from({ length: 4 }, () => returnSuspense(parts(), id)),
    ])
    const resolved = outcomes.filter(({ kind }) => kind === 'resolved')
    assert.equal(resolved.length, 1)
    const { state, resolvedBy } = (await findSuspense(world.db, id))!
    assert.equal(resolvedBy, 'test')
    const got = (await till.balance('NGN', 'NG')) - before
    assert.equal(got, state === 'credited' ? 10_000n : 0n)
    const entries = await world.db`select action from audit_log where subject = ${id}`
    assert.deepEqual(entries, [{ action: `suspense.${state}` }])
    // The charge is as it was, and so is what its merchant was told.
    assert.deepEqual((await storyOf(world, chargeId)).told, told)
  })

  test('it is returned to its rail', async () => {
    const { id } = await suspended()
    const outcome = await returnSuspense(parts(), id)
    assert.equal(outcome.kind, 'resolved')
    const rows = await world.db`
      select step, debit, credit, amount from transfers where transaction_id = ${id}
      order by step`
    assert.deepEqual(rows, [
      { step: 'arrived', debit: 'rail:sandbox', credit: 'suspense', amount: 10_000n },
      { step: 'returned', debit: 'suspense', credit: 'rail:sandbox', amount: 10_000n },
    ])
  })

  test('money nobody can be asked about can be given to any merchant', async () => {
    const given = { id: 'stray', accountNumber: '4321000000', amount: 500n, currency: 'UGX' }
    await world.payouts.receiveCallback('sandbox', world.arrival(given))
    await world.work()
    const item = (await listSuspense(world.db, { all: false, limit: 10 })).find(
      ({ accountNumber }) => accountNumber === '4321000000',
    )!
    const before = await till.balance('UGX', 'UG')
    await creditSuspense(parts(), item.id, till.owner, 'UG')
    assert.equal((await till.balance('UGX', 'UG')) - before, 500n)
  })

  test('sandbox money is not given to a live account', async () => {
    const { id } = await suspended()
    const live = { ...till.owner, environment: 'live' as const }
    assert.deepEqual(await creditSuspense(parts(), id, live, 'NG'), {
      kind: 'refused',
      why: 'The money is in the sandbox environment.',
    })
    assert.equal((await findSuspense(world.db, id))!.state, 'open')
  })

  test('the operator lists, looks, credits and returns by command', async () => {
    const [credited, returned] = [await suspended(12.5), await suspended(7)]
    const [row] = await world.db<{ email: string }[]>`
      select m.email from merchants m join accounts a on a.merchant_id = m.id
      where a.id = ${till.owner.accountId}`
    const merchant = ['--merchant', row!.email, '--environment', 'sandbox']
    const [listed, shown, unknown] = await Promise.all([
      run('list'),
      run('show', credited.id, '--json'),
      run('show', 'nothing'),
    ])
    assert.match(listed.out, new RegExp(`${credited.id} .* NGN 12.50 +open +It is less than`))
    const { amount, state, story, externalReference } = JSON.parse(shown.out)
    assert.deepEqual([amount, state, story], ['12.50', 'open', 'It is less than the charge.'])
    assert.match(externalReference, /^order-/)
    assert.deepEqual([unknown.code, unknown.err.includes('no suspense item "nothing"')], [1, true])
    const before = await till.balance('NGN', 'NG')
    const credits = await Promise.all([
      run('credit', credited.id, ...merchant),
      run('credit', credited.id, ...merchant),
    ])
    assert.deepEqual(credits.map(({ code }) => code).sort(), [0, 1])
    assert.equal((await till.balance('NGN', 'NG')) - before, 1250n)
    const wrong = await run('credit', returned.id, ...merchant, '--country', 'KE')
    assert.match(wrong.err, /Wallets in NGN can be in NG, not in KE/)
    const back = await run('return', returned.id)
    assert.match(back.out, /^NGN 7.00 is booked back to its rail\.\n/)
    const again = await run('return', returned.id)
    assert.match(again.err, /^It was returned by cli:.* already\.\n$/)
    const [entry] = await world.db<{ actor: string; detail: Record<string, string> }[]>`
      select actor, detail from audit_log where subject = ${returned.id}`
    assert.match(entry!.actor, /^cli:/)
    assert.deepEqual(entry!.detail, { amount: '700', currency: 'NGN' })
    const open = await run('list', '--json')
    const ids = (JSON.parse(open.out) as { id: string }[]).map(({ id }) => id)
    assert.ok(!ids.includes(credited.id) && !ids.includes(returned.id))
    const all = await run('list', '--all', '--json')
    assert.ok(all.out.includes(credited.id) && all.out.includes(returned.id))
  })

  test('after all of this the books agree', () => assertBooksAgree(world.db))
})
