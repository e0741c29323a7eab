import assert from 'node:assert/strict'
import { attend } from '../../src/payouts/attend.ts'
import { handleCallbacks } from '../../src/payouts/callbacks.ts'
import { claimDue } from '../../src/payouts/store.ts'
import { callbackFor } from '../../src/rails/sandbox/rail.ts'
import { databaseBook } from '../../src/rails/sandbox-book.ts'
import type { Answer, Ending } from '../app-harness.ts'
import { page } from '../generate/markdown.ts'
import { openWorld, secret, type World } from '../payout-world.ts'
import { createPlainText } from './plain-text.ts'
import { createRowTables, type RowTables } from './row-tables.ts'

const startMs = Date.parse('2026-11-02T09:00:00.000Z')
const leaseMs = 60_000
const resultAfterMs = 1000

const body = {
  ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
  externalReference: 'salary-2026-11-0042',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254700000000' },
}

type Walk = { world: World; rows: RowTables; id: string; blocks: string[] }

/** Takes one payout the whole way and writes down everything that can be seen of it. */
export async function walkPage(): Promise<string> {
  const endings: (() => Promise<void>)[] = []
  const ending: Ending = { after: (run) => void endings.push(run) }
  try {
    const world = await openWorld(ending, { startMs })
    const plain = createPlainText(startMs)
    const blocks = await walk(world, createRowTables(world.db, plain))
    return page('test/walk/', ...blocks.map(plain))
  } finally {
    for (const end of endings) await end()
  }
}

async function walk(world: World, rows: RowTables): Promise<string[]> {
  const answer = await world.pay(body)
  assert.equal(answer.status, 200, answer.text)
  const id = String(answer.body.transactionId)
  const on: Walk = { world, rows, id, blocks: [] }
  on.blocks.push(
    '# The way of a payout',
    [
      'One payout of KES 1,000, from the request to what its merchant is told, as the test wrote',
      'it down. Ids are replaced by names, and times by the milliseconds since the request.',
      'Amounts in tables are in minor units.',
    ].join('\n'),
  )
  await showAcceptance(on, answer)
  await showSending(on)
  await showCallback(on)
  await showSettlement(on)
  return on.blocks
}

async function showAcceptance({ blocks, rows, id }: Walk, answer: Answer): Promise<void> {
  blocks.push(
    '## 1. The request',
    '`http/routes/create-payout.ts` checks the shape and the token.',
    exchange('POST /api/b2b/fiat/payout', body, answer),
    '## 2. The acceptance',
    [
      '`payouts/accept-payout.ts` applies the rules; `payouts/accept-store.ts` commits many',
      'payouts in one statement. In that one commit are the record, due at once,',
    ].join('\n'),
    await rows.record(id),
    'the hold, as a transfer of the ledger,',
    await rows.transfers(id),
    'and what the merchant is to be told.',
    await rows.told(id),
  )
}

async function showSending({ blocks, rows, id, world }: Walk): Promise<void> {
  const { parts, clock, routing } = world
  const due = { rails: ['sandbox'], nowMs: clock.now(), leaseMs, limit: 1 }
  const [claimed] = await claimDue(parts.db, due)
  blocks.push(
    '## 3. The claim',
    [
      'The row is the job. `payouts/worker.ts` claims what is due for the time of a lease. From',
      'here on nobody sends it without asking the rail first.',
    ].join('\n'),
    await rows.record(id),
  )
  await attend(parts, routing.byName('sandbox')!, claimed!)
  blocks.push(
    '## 4. The rail',
    [
      '`payouts/attend.ts` sends it, outside of any transaction, with our id as the key. The rail',
      'notes it in its own book,',
    ].join('\n'),
    await rows.book(id),
    'and what it said is written down. It is asked again when it is due, should no news come.',
    await rows.attempts(id),
    await rows.record(id),
  )
}

async function showCallback({ blocks, rows, id, world }: Walk): Promise<void> {
  const { node, clock, db } = world
  clock.advance(resultAfterMs)
  const entry = await databaseBook(db).find('sandbox', id)
  const message = callbackFor(entry!, clock.now(), secret)
  const payload = message.body.toString()
  const url = '/rails/sandbox/callbacks'
  const answer = await node.send({ method: 'POST', url, headers: { ...message.headers }, payload })
  blocks.push(
    '## 5. The callback',
    '`http/rail-callbacks.ts` verifies the signature, stores the news, and does not act by itself.',
    exchange(`POST ${url}`, JSON.parse(payload), answer),
    await rows.callbacks(id),
  )
}

async function showSettlement({ blocks, rows, id, world }: Walk): Promise<void> {
  await handleCallbacks(world.parts)
  const answer = { status: 200, body: { success: true, data: await world.read(id) } }
  blocks.push(
    '## 6. The settlement',
    [
      '`payouts/callbacks.ts` compares the news with the record; the table in',
      '[states.md](states.md) decides. One commit changes the record,',
    ].join('\n'),
    await rows.record(id),
    'pays the held money out (`payouts/postings.ts` names the transfers),',
    await rows.transfers(id),
    'notes what was heard and what came of it,',
    await rows.attempts(id),
    await rows.callbacks(id),
    'and tells the merchant. Each row waits to be delivered.',
    await rows.told(id),
    await rows.toldBodies(id),
    '## 7. The result',
    exchange('GET /api/b2b/transactions/<payout>', undefined, answer),
    'The wallet has paid, and nothing is held any more.',
    await rows.balances(id),
  )
}

function exchange(
  line: string,
  sent: unknown,
  { status, body: got }: Pick<Answer, 'status' | 'body'>,
) {
  const request = sent === undefined ? line : `${line}\n${JSON.stringify(sent, null, 2)}`
  return `\`\`\`\n${request}\n\n${status}\n${JSON.stringify(got, null, 2)}\n\`\`\``
}
