import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMerchant, startNode } from '../../test/app-harness.ts'
import { fileOf } from '../../test/batches.ts'
import { makePerson } from '../../test/dashboard.ts'
import { testDatabase, waitFor } from '../../test/harness.ts'
import { assertBooks } from '../../test/payout-world.ts'
import { startOn } from '../../test/processes.ts'
import type { Db } from '../db/pool.ts'

const lines = 2_000
const killAt = [300, 800, 1_300]
const leaseMs = 60_000
const endings = ['000', '000', '000', '001', '007']

test('a worker that is killed again and again pays every line of a batch once', async (t) => {
  const { url, sql: db } = await testDatabase(t)
  const node = await startNode({ after: (run) => t.after(run) }, url)
  const { merchant, sandbox } = await makeMerchant(db)
  const { id: accountId, slot, environment } = sandbox.account
  const { personId } = await makePerson(node, { merchantId: merchant.id, role: 'owner' })
  const actor = { personId, name: 'Asha' }
  // Every third line has no reference of its own.
  const csv = fileOf(
    Array.from({ length: lines }, (_, at) => [
      at % 3 === 0 ? '' : `crash-${at}`,
      '10',
      endings[at % endings.length]!,
    ]),
  )
  const owner = { accountId, slot, environment, feePlan: [] }
  const { batch } = await node.batches.create(owner, actor, { name: 'Crash', csv })
  const key = { slot, accountId, id: batch.id }
  await node.batches.submit(key, actor, { skipInvalid: false })
  const [before] = await db<{ available: bigint }[]>`
    select available from wallets where account_id = ${accountId} and currency = 'KES'`

  const start = () =>
    startOn(t, url, { args: ['--role', 'worker'], env: { MALIPO_DATABASE_CONNECTIONS: '6' } })
  let unwritten = 0
  for (const count of killAt) {
    const run = start()
    const isThere = async () => (await paidIn(db)) >= count
    await waitFor(isThere, { timeoutMs: 60_000, everyMs: 5 })
    run.child.kill('SIGKILL')
    await run.ended()
    assert.equal((await node.batches.read(key)).state, 'running', 'it was killed in the middle')
    unwritten += await endLeases(db)
  }
  t.diagnostic(`${unwritten} lines were paid and not written down when the worker was killed`)
  start()
  const isDone = async () => (await node.batches.read(key)).state === 'done'
  await waitFor(isDone, { timeoutMs: 120_000, everyMs: 200 })
  await assertOncePerLine(db)
  const { accepted, refused, successful, failed } = await node.batches.read(key)
  assert.deepEqual(
    { accepted, refused, successful, failed },
    { accepted: lines, refused: 0, successful: (lines * 4) / 5, failed: lines / 5 },
  )
  const [after] = await db<{ available: bigint; held: bigint }[]>`
    select available, held from wallets where account_id = ${accountId} and currency = 'KES'`
  assert.deepEqual(after, { available: before!.available - BigInt(successful) * 1000n, held: 0n })
  await assertBooks({ db })
})

async function paidIn(db: Db): Promise<number> {
  const [row] = await db<{ paid: number }[]>`select count(*)::int as paid from transactions`
  return row!.paid
}

/** Leases last a minute. They are moved, so that nobody waits; and what was unsure is counted. */
async function endLeases(db: Db): Promise<number> {
  const passed = `${leaseMs} milliseconds`
  await db`update batches set due_at = due_at - ${passed}::interval where state = 'running'`
  await db`
    update transactions set due_at = due_at - ${passed}::interval,
      leased_until = leased_until - ${passed}::interval
    where leased_until is not null`
  const [row] = await db<{ unsure: number }[]>`
    select count(*)::int as unsure from batch_lines l join transactions t
      on t.idempotency_key = 'batch-' || l.batch_id || '-' || l.line
    where l.state = 'ready'`
  return row!.unsure
}

/** One payout for each line, known to the line, and once in the book of the rail. */
async function assertOncePerLine(db: Db): Promise<void> {
  assert.equal(await paidIn(db), lines)
  const wrong = await db`
    select l.line, l.state, t.status from batch_lines l
    left join transactions t on t.id = l.transaction_id
      and t.external_reference = l.reference and t.amount = l.amount
      and t.idempotency_key = 'batch-' || l.batch_id || '-' || l.line
    where t.id is null or t.status <> l.state`
  assert.deepEqual(wrong, [])
  const [book] = await db<{ keys: number }[]>`
    select count(*)::int as keys from sandbox_rail_book`
  assert.equal(book!.keys, lines)
}
