import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant } from '../../../test/app-harness.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { openWorld, payoutTo } from '../../../test/payout-world.ts'
import { addTransaction } from '../../../test/transactions.ts'
import { viewRoutes } from './view-routes.ts'

type Item = Record<string, unknown>
type Shown = {
  transaction: Item
  timeline: { kind: string; title: string; detail: string; tone: string }[]
  transfers: Item[]
  webhooks: Item[]
}

const world = await openWorld({ after })
const [row] = await world.db<{ id: string }[]>`
  select merchant_id as id from accounts where id = ${world.account.id}`
const merchant = { merchant: { id: row!.id } }
const owner = await signInAs(world.node, merchant, 'owner')
const stranger = await signInAs(world.node, await makeMerchant(world.db), 'owner')
const paid = await world.paid(payoutTo('000', { externalReference: 'salary-001' }))
const failed = await world.paid(payoutTo('001', { externalReference: 'salary-002' }))
await world.drive(10_000)

async function dataOf(visitor: Visitor, path: string): Promise<unknown> {
  const { status, text, body } = await visitor.call('GET', path)
  assert.equal(status, 200, `${path}: ${text}`)
  return body.data
}

test('the overview counts what moved, how it ended, and what is in the wallets', async () => {
  const data = (await dataOf(owner, '/sandbox/overview?days=7')) as Record<string, never>
  const { flow, success, wallets, attention } = data as unknown as {
    flow: { currency: string; currencies: string[]; days: Item[] }
    success: Item[]
    wallets: Item[]
    attention: Item
  }
  assert.equal(flow.currency, 'KES')
  assert.deepEqual(flow.currencies, ['KES'])
  assert.equal(flow.days.length, 7)
  assert.deepEqual(flow.days.at(-1)?.out, '1000.00')
  assert.deepEqual(success, [
    { kind: 'payout', method: 'momo', rail: 'sandbox', successful: 1, failed: 1, pending: 0 },
  ])
  const kes = wallets.find(({ currency }) => currency === 'KES')
  assert.match(String(kes?.balance), /^\d+\.00$/)
  assert.deepEqual(attention, {
    stuck: 0,
    suspense: 0,
    failingWebhooks: 0,
    webhooksFailingSince: null,
    webhooksPausedAt: null,
    batchesToApprove: 0,
  })
})

test('a transaction is found by its id, its reference and the beginning of it', async () => {
  const idsOf = async (query: string) =>
    ((await dataOf(owner, `/sandbox/transactions?${query}`)) as Item[]).map(({ id }) => id)
  assert.deepEqual(await idsOf(''), [failed, paid])
  assert.deepEqual(await idsOf(`search=${paid}`), [paid])
  assert.deepEqual(await idsOf('search=salary-001'), [paid])
  assert.deepEqual(await idsOf('search=sal'), [failed, paid])
  assert.deepEqual(await idsOf('search=SAL'), [])
  assert.deepEqual(await idsOf('search=sal&status=failed'), [failed])
  assert.deepEqual(await idsOf('status=successful&type=payout&currency=KES'), [paid])
  assert.deepEqual(await idsOf('method=card'), [])
  assert.deepEqual(await idsOf('method=momo&limit=1'), [failed])
  assert.deepEqual(await idsOf('to=2020-01-01'), [])
})

test('pages follow each other without a gap, whatever is looked for', async () => {
  const account = world.account
  const added: string[] = []
  for (let n = 0; n < 7; n++) {
    const reference = `page-${n}`
    added.push(
      await addTransaction(world.db, world.node.ids, account, {
        ...{
          external_reference: reference,
          method: n % 2 === 0 ? 'card' : 'bank',
          status: 'failed',
        },
      }),
    )
  }
  for (const query of ['method=card', 'status=failed', 'search=page-', 'type=payout']) {
    const seen: unknown[] = []
    let next: string | null = ''
    while (next !== null) {
      const cursor = next === '' ? '' : `&after=${next}`
      const { body } = await owner.call('GET', `/sandbox/transactions?${query}&limit=2${cursor}`)
      seen.push(...(body.data as Item[]).map(({ id }) => id))
      next = body.next as string | null
    }
    const { body } = await owner.call('GET', `/sandbox/transactions?${query}&limit=100`)
    assert.deepEqual(
      seen,
      (body.data as Item[]).map(({ id }) => id),
      query,
    )
    assert.ok(seen.length >= 4, query)
  }
  await world.db`delete from transactions where id = any(${added}::uuid[])`
})

test('the file of transactions has every one that fits, and no formula of a stranger', async () => {
  const id = await addTransaction(world.db, world.node.ids, world.account, {
    external_reference: '=cmd()',
  })
  const { status, headers, text } = await owner.call('GET', '/sandbox/transactions.csv?type=payout')
  assert.equal(status, 200)
  assert.match(
    String(headers['content-disposition']),
    /attachment; filename="transactions-sandbox-/,
  )
  const lines = text.trimEnd().split('\r\n')
  assert.equal(lines.length, 4)
  assert.ok(lines[0]!.startsWith('id,reference,kind,status'))
  assert.ok(text.includes(`${id},'=cmd(),payout`))
  await world.db`delete from transactions where id = ${id}`
})

test('the timeline tells the story of a payout in sentences', async () => {
  const shown = (await dataOf(owner, `/sandbox/transactions/${paid}`)) as Shown
  assert.equal(shown.transaction.amount, '1000.00')
  const titles = shown.timeline.map(({ title }) => title)
  for (const title of [
    'Payout requested: 1,000.00 KES to Amina Otieno, 254700000000 (MoMo)',
    'Held 1,000.00 KES in the wallet',
    'Sent to the sandbox rail: accepted',
    'The sandbox rail told us: the payment is done',
    'The payout is successful',
    'Paid 1,000.00 KES out through the sandbox rail',
  ]) {
    assert.ok(titles.includes(title), `${title} is not in ${JSON.stringify(titles)}`)
  }
  assert.ok(titles.some((title) => title.startsWith('Webhook transaction_created')))
  assert.deepEqual(
    shown.transfers.map(({ debit, credit, amount }) => `${debit} ${credit} ${amount}`),
    ['wallet held 1000.00', 'held rail:sandbox 1000.00'],
  )
  const other = (await dataOf(owner, `/sandbox/transactions/${failed}`)) as Shown
  const end = other.timeline.find(({ title }) => title === 'The payout failed')
  assert.equal(end?.tone, 'bad')
  assert.ok(other.timeline.some(({ title }) => title === 'Returned 1,000.00 KES to the wallet'))
})

test('a statement has every line with the balances after it, as a page and as a file', async () => {
  const wallets = (await dataOf(owner, '/sandbox/wallets')) as { id: string; currency: string }[]
  const { id } = wallets.find(({ currency }) => currency === 'KES')!
  const lines = (await dataOf(owner, `/sandbox/wallets/${id}/statement?limit=3`)) as Item[]
  assert.equal(lines.length, 3)
  const { body } = await owner.call('GET', `/sandbox/wallets/${id}/statement?limit=100`)
  const all = body.data as { seq: string; reference: string | null; amount: string }[]
  assert.equal(body.next, null)
  assert.deepEqual(
    all.map(({ seq }) => Number(seq)),
    all.map((_, index) => all.length - index),
  )
  assert.ok(
    all.some(({ reference, amount }) => reference === 'salary-001' && amount === '-1000.00'),
  )
  const { text } = await owner.call('GET', `/sandbox/wallets/${id}/statement.csv`)
  assert.equal(text.trimEnd().split('\r\n').length, all.length + 1)
})

test('the trial balance sums to zero in each currency, also when it is asked for again', async () => {
  const sumsOf = async () => {
    const rows = (await dataOf(owner, '/sandbox/trial-balance')) as {
      account: string
      currency: string
      balance: string
    }[]
    const sums = Map.groupBy(rows, ({ currency }) => currency)
    for (const [currency, own] of sums) {
      const total = own.reduce((sum, { balance }) => sum + BigInt(balance.replace('.', '')), 0n)
      assert.equal(total, 0n, currency)
    }
    return rows
  }
  const first = await sumsOf()
  const rail = first.find(
    ({ account, currency }) => account === 'rail:sandbox' && currency === 'KES',
  )
  assert.equal(rail?.balance, '1000.00')
  await world.paid(payoutTo('000'))
  await world.paid(
    payoutTo('000', { amount: 5, currency: 'KES', debitCurrency: 'USD', debitCountry: 'US' }),
  )
  await world.drive(10_000)
  const later = await sumsOf()
  const grown = later.find(
    ({ account, currency }) => account === 'rail:sandbox' && currency === 'KES',
  )
  assert.equal(grown?.balance, '2005.00')
})

test('a stranger sees nothing by any view, whatever ids are used', async () => {
  const wallets = (await dataOf(owner, '/sandbox/wallets')) as { id: string }[]
  const [webhook] = (await dataOf(owner, '/sandbox/webhooks')) as { id: string }[]
  const named = new Map([
    ['/transactions/:id', paid],
    ['/wallets/:id/statement', wallets[0]!.id],
    ['/wallets/:id/statement.csv', wallets[0]!.id],
    ['/webhooks/:id', webhook!.id],
  ])
  const views = viewRoutes.filter(({ method, path }) => method === 'GET' && path !== '/events')
  for (const { path } of views) {
    const id = named.get(path)
    assert.equal(path.includes(':id'), id !== undefined, path)
    const answer = await stranger.call('GET', `/sandbox${path.replace(':id', id ?? '')}`)
    assert.equal(answer.status, id === undefined ? 200 : 404, path)
    for (const secret of [paid, failed, 'salary-', 'Amina', ...wallets.map((one) => one.id)]) {
      assert.ok(!answer.text.includes(secret), `${path} shows ${secret}`)
    }
    const live = await owner.call('GET', `/live${path.replace(':id', id ?? '')}`)
    assert.ok(!live.text.includes('salary-'), path)
  }
  for (const query of [`search=${paid}`, 'search=salary-001', `after=${paid}`]) {
    const { text } = await stranger.call('GET', `/sandbox/transactions?${query}`)
    assert.ok(!text.includes('salary-001') && !text.includes('Amina'), query)
  }
  const { text } = await stranger.call('GET', `/sandbox/webhooks?transactionId=${paid}`)
  assert.ok(!text.includes(paid))
})

test('no view is open without a session', async () => {
  for (const { method, path } of viewRoutes) {
    const url = `/dashboard/sandbox${path.replace(':id', paid)}`
    const { status } = await world.node.send({ method, url })
    assert.equal(status, 401, `${method} ${path}`)
  }
})
