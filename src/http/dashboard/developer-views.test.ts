import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keysOf, makeMerchant, tokenFor } from '../../../test/app-harness.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { openWorld, payoutTo } from '../../../test/payout-world.ts'

type Item = Record<string, unknown>

const world = await openWorld({ after })
const [row] = await world.db<{ id: string }[]>`
  select merchant_id as id from accounts where id = ${world.account.id}`
const merchant = { merchant: { id: row!.id } }
const owner = await signInAs(world.node, merchant, 'owner')
const stranger = await signInAs(world.node, await makeMerchant(world.db), 'owner')
const paid = await world.paid(payoutTo('000', { externalReference: 'salary-001' }))
await world.drive(10_000)

async function dataOf(visitor: Visitor, path: string): Promise<unknown> {
  const { status, text, body } = await visitor.call('GET', path)
  assert.equal(status, 200, `${path}: ${text}`)
  return body.data
}

test('a key is shown once, replaced and ended, and none of it by a viewer', async () => {
  const created = await owner.call('POST', '/sandbox/keys', { name: 'till', scopes: ['read'] })
  assert.equal(created.status, 200, created.text)
  const { id, publicKey, apiKey } = created.body.data as Record<string, string>
  const keys = { publicKey: publicKey!, apiKey: apiKey! }
  assert.ok(await tokenFor(world.node, keys))
  const list = await owner.call('GET', '/sandbox/keys')
  assert.ok(list.text.includes(publicKey!) && !list.text.includes(apiKey!))
  const rotated = await owner.call('POST', `/sandbox/keys/${id}/rotate`, { overlapMinutes: 0 })
  assert.equal(rotated.status, 200, rotated.text)
  assert.notEqual((rotated.body.data as Item).apiKey, apiKey)
  const newer = String((rotated.body.data as Item).id)
  assert.equal((await stranger.call('DELETE', `/sandbox/keys/${newer}`)).status, 404)
  assert.equal((await stranger.call('POST', `/sandbox/keys/${newer}/rotate`, {})).status, 404)
  assert.equal((await owner.call('DELETE', `/live/keys/${newer}`)).status, 404)
  const viewer = await signInAs(world.node, merchant, 'viewer')
  assert.equal((await viewer.call('DELETE', `/sandbox/keys/${newer}`)).status, 403)
  assert.equal((await owner.call('DELETE', `/sandbox/keys/${newer}`)).status, 200)
})

test('limits and the time zone are kept as they were said, and nonsense is refused', async () => {
  const change = (body: unknown) => owner.call('PUT', '/sandbox/settings', body)
  const { body } = await change({
    timeZone: 'Africa/Nairobi',
    approvalLimits: { KES: '500000.00' },
  })
  const { timeZone, approvalLimits } = body.data as Item
  assert.deepEqual({ timeZone, approvalLimits }, await pick())
  assert.deepEqual(approvalLimits, { KES: '500000' })
  for (const wrong of [
    { timeZone: 'Nairobi' },
    { timeZone: '+03:00' },
    { approvalLimits: { XXX: '1' } },
    { approvalLimits: { KES: 'much' } },
    { approvalLimits: { UGX: '1.5' } },
  ]) {
    assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong))
  }
  async function pick() {
    const { timeZone: zone, approvalLimits: limits } = (await dataOf(
      owner,
      '/sandbox/settings',
    )) as Item
    return { timeZone: zone, approvalLimits: limits }
  }
})

test('webhooks are listed with their attempts, and resent by those who may', async () => {
  const list = (await dataOf(owner, `/sandbox/webhooks?transactionId=${paid}`)) as Item[]
  assert.deepEqual(
    list.map(({ event }) => event),
    ['transaction_updated', 'transaction_created'],
  )
  const updated = (await dataOf(owner, '/sandbox/webhooks?event=transaction_updated')) as Item[]
  assert.ok(updated.length > 0 && updated.every(({ event }) => event === 'transaction_updated'))
  const id = String(list[0]!.id)
  const record = (await dataOf(owner, `/sandbox/webhooks/${id}`)) as { body: Item }
  assert.equal(record.body.event, 'transaction_updated')
  assert.equal((await owner.call('POST', '/sandbox/webhooks/resend', { ids: [id] })).status, 409)
  await world.db`
    update accounts set webhook_url = 'https://shop.example/hook' where id = ${world.account.id}`
  const resent = await owner.call('POST', '/sandbox/webhooks/resend', { ids: [id] })
  assert.deepEqual(resent.body.data, { count: 1 })
  await world.db`update webhooks set status = 'FAILED', due_at = null where id = ${id}`
  const period = { status: 'FAILED', from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }
  const none = await owner.call('POST', '/sandbox/webhooks/resend', period)
  assert.deepEqual(none.body.data, { count: 0 })
  const all = await owner.call('POST', '/sandbox/webhooks/resend', { status: 'FAILED' })
  assert.deepEqual(all.body.data, { count: 1 })
  const finance = await signInAs(world.node, merchant, 'finance')
  assert.equal((await finance.call('POST', '/sandbox/webhooks/resend', { ids: [id] })).status, 403)
  const other = await stranger.call('POST', '/sandbox/webhooks/resend', { ids: [id] })
  assert.equal(other.status, 409)
})

test('requests of programs are kept without their secrets, those of people are not', async () => {
  const shop = await makeMerchant(world.db)
  const visitor = await signInAs(world.node, shop, 'developer')
  const authorization = `Bearer ${await tokenFor(world.node, keysOf(shop.sandbox))}`
  const card = { number: '4242424242424242', cvv: '737', expMonth: '12', expYear: '2031' }
  const payload = JSON.stringify({
    amount: 5,
    currency: 'KES',
    note: 'card 4242 4242 4242 4242',
    cardDetails: card,
  })
  await world.node.send({
    method: 'POST',
    url: '/api/b2b/fiat/deposit/card',
    headers: { authorization, 'content-type': 'application/json' },
    payload,
  })
  await world.node.send({ method: 'GET', url: '/api/b2b/users', headers: { authorization } })
  await world.node.requestLog.close()
  const rows = (await dataOf(visitor, '/sandbox/requests')) as Item[]
  assert.deepEqual(rows.map(({ path, status }) => `${path} ${status}`).sort(), [
    '/api/b2b/fiat/deposit/card 400',
    '/api/b2b/users 200',
  ])
  const failures = await visitor.call('GET', '/sandbox/requests?status=4xx&path=card')
  assert.equal((failures.body.data as Item[]).length, 1)
  assert.ok(!/4242 ?4242|737|2031/.test(failures.text), failures.text)
  assert.match(failures.text, /redacted/)
  assert.ok(!(await stranger.call('GET', '/sandbox/requests')).text.includes('/fiat/'))
})
