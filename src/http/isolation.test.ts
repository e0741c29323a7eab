import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Answer,
  keysOf,
  makeKeys,
  makeMerchant,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { addEvents } from '../../test/events.ts'
import { addTransaction } from '../../test/transactions.ts'
import { createBeneficiary } from '../beneficiaries/create.ts'
import { slotOf } from '../ids.ts'
import type { Account } from '../merchants/account.ts'
import type { Route } from './route.ts'
import { routes } from './routes/index.ts'

/**
 * Made from the table of routes: whoever adds one that takes an id has to say here whose it is,
 * and then it is tried with the id of a stranger.
 */
const node = await startLoneNode({ after })
const { db, ids, reference } = node
const victim = await makeMerchant(db)
const { account } = victim.sandbox
const owner = { accountId: account.id, slot: account.slot, environment: account.environment }

/** What belongs to one account, by the name under which routes take it. */
const owned: Record<string, string[]> = {
  externalAccountId: [
    await createBeneficiary(db, ids, reference, owner, {
      country: 'KE',
      currency: 'KES',
      destination: 'MoMo',
      payoutMethod: { accountName: 'Achieng Otieno', accountNumber: '+254700000000' },
    }),
  ],
  transactionId: [
    await addTransaction(db, ids, account, { external_reference: 'order-of-the-victim' }),
    'order-of-the-victim',
  ],
  id: (await addEvents(db, ids, account, { transactions: 1 })).map(({ id }) => id),
}
owned.after = [...owned.externalAccountId!, ...owned.id!]

/** Names that end like an id and are the same for everybody. */
const shared = new Set(['momoOperatorId', 'bankId', 'deviceId'])

type Place = 'params' | 'query' | 'body'
type Schema = { properties?: Record<string, Schema> }

function idsTaken(route: Route): { place: Place; name: string }[] {
  return (['params', 'query', 'body'] as const).flatMap((place) =>
    Object.keys((route.input[place] as Schema | undefined)?.properties ?? {})
      .filter((name) => /^(id|after)$|Id$/.test(name) && !shared.has(name))
      .map((name) => ({ place, name })),
  )
}

/** Another merchant in the slot of the victim, where only the account tells them apart. */
async function neighbour(): Promise<string> {
  const { merchant } = await makeMerchant(db)
  await db`delete from webhook_secrets where account_id in
    (select id from accounts where merchant_id = ${merchant.id} and environment = 'live')`
  await db`delete from credentials where account_id in
    (select id from accounts where merchant_id = ${merchant.id} and environment = 'live')`
  const [moved] = await db<Account[]>`
    update accounts set slot = ${account.slot}
    where merchant_id = ${merchant.id} and environment = 'live'
    returning id, slot, merchant_id as "merchantId", environment, time_zone as "timeZone",
      webhook_url as "webhookUrl"`
  return await tokenFor(node, await makeKeys(db, { ...victim.live, account: moved! }, {}))
}

const strangers: Record<string, string> = {
  'another merchant': await tokenFor(node, keysOf((await makeMerchant(db)).sandbox)),
  'a merchant in the same slot': await neighbour(),
  'the same merchant, live': await tokenFor(node, keysOf(victim.live)),
}

async function send(route: Route, place: Place, name: string, id: string, token: string) {
  const path = route.path.replaceAll(/:(\w+)/g, (_all, param: string) =>
    encodeURIComponent(param === name ? id : owned[param]![0]!),
  )
  const query = place === 'query' ? `?${name}=${encodeURIComponent(id)}` : ''
  const body =
    place === 'body' ? { ...(route.example.body as object), [name]: id } : route.example.body
  return await node.send({
    method: route.method,
    url: `/api/b2b${path}${query}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
}

async function everythingOfAll(): Promise<unknown> {
  const tables = ['beneficiaries', 'transactions', 'transfers', 'wallets', 'webhooks', 'accounts']
  return await Promise.all(
    tables.map((table) => db.unsafe(`select row_to_json(t)::text from ${table} t order by 1`)),
  )
}

for (const route of routes) {
  for (const { place, name } of idsTaken(route)) {
    test(`${route.method} ${route.path} does nothing with a stranger's ${name}`, async () => {
      assert.ok(owned[name], `say in this test whose ${name} is, or that it is shared`)
      const before = await everythingOfAll()
      for (const id of owned[name]) {
        for (const [who, token] of Object.entries(strangers)) {
          const answer = await send(route, place, name, id, token)
          assertRefused(answer, place, `${who}: ${answer.text}`)
        }
      }
      assert.deepEqual(await everythingOfAll(), before)
    })
  }
}

/** A cursor that is not one of ours is wrong input, a filter finds nothing; all else is missing. */
function assertRefused({ status, text, body }: Answer, place: Place, about: string): void {
  if (place === 'query' && status === 200) assert.deepEqual(body.data, [], about)
  else assert.equal(status, place === 'query' ? 400 : 404, about)
  assert.ok(!text.includes('Achieng'), about)
}

test('the ids tried here are real: their owner reads them', async () => {
  const token = await tokenFor(node, keysOf(victim.sandbox))
  const readable = routes.filter(({ method, path }) => method === 'GET' && path.includes(':'))
  for (const route of readable) {
    for (const { name } of idsTaken(route)) {
      for (const id of owned[name] ?? []) {
        assert.equal((await send(route, 'params', name, id, token)).status, 200, route.path)
      }
    }
  }
  assert.equal(slotOf(owned.transactionId![0]!), account.slot)
})

test('no id hides deeper in a body, where it would not be tried', () => {
  const deeper = ({ properties = {} }: Schema): string[] =>
    Object.values(properties).flatMap((each) => [
      ...Object.keys(each.properties ?? {}),
      ...deeper(each),
    ])
  const names = routes.flatMap(({ input }) => deeper((input.body as Schema | undefined) ?? {}))
  const hidden = names.filter((name) => /^id$|Id$/.test(name) && !shared.has(name))
  assert.deepEqual(hidden, [])
})
