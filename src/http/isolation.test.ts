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
import { signInAs } from '../../test/dashboard.ts'
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

/** What belongs to one account, by the name under which routes take it. */
type Owned = Record<string, string[]>

const kenyanPhone = { country: 'KE', currency: 'KES', destination: 'MoMo' }

async function belongingsOf({ account }: { account: Account }): Promise<Owned> {
  const { id: accountId, slot, environment } = account
  const owner = { accountId, slot, environment }
  const add = (type: 'payout' | 'deposit') =>
    createBeneficiary(db, ids, reference, owner, {
      ...{ ...kenyanPhone, type },
      payoutMethod: { accountName: `Achieng ${environment}`, accountNumber: '+254700000000' },
    })
  const order = `order-of-the-victim-${environment}`
  const owned: Owned = {
    externalAccountId: [await add('payout'), await add('deposit')],
    transactionId: [
      await addTransaction(db, ids, account, {
        ...{ external_reference: order, account_name: `Achieng ${environment}` },
      }),
      order,
    ],
    id: (await addEvents(db, ids, account, { transactions: 1 })).map(({ id }) => id),
  }
  owned.after = [...owned.externalAccountId!, ...owned.id!]
  return owned
}

const owned = await belongingsOf(victim.sandbox)
const ownedLive = await belongingsOf(victim.live)
const { account } = victim.sandbox

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

/** Whoever calls: where, and with what. */
type Caller = { prefix: string; headers: Record<string, string> }

const program = async (token: string | Promise<string>): Promise<Caller> => ({
  prefix: '/api/b2b',
  headers: { authorization: `Bearer ${await token}` },
})

async function person(merchant: typeof victim, environment: string): Promise<Caller> {
  const { cookie, csrf } = await signInAs(node, merchant, 'owner')
  return { prefix: `/dashboard/${environment}/b2b`, headers: { cookie, 'x-csrf-token': csrf } }
}

const other = await makeMerchant(db)
const victimPrograms = {
  sandbox: await program(tokenFor(node, keysOf(victim.sandbox))),
  live: await program(tokenFor(node, keysOf(victim.live))),
}
const strangers: Record<string, Caller> = {
  'another merchant': await program(tokenFor(node, keysOf(other.sandbox))),
  'a merchant in the same slot': await program(neighbour()),
  'the same merchant, live': victimPrograms.live,
  'a person of another merchant': await person(other, 'sandbox'),
  'a person of the same merchant on the live side': await person(victim, 'live'),
}
/** Who must not reach what belongs to the live side. */
const strangersToLive: Record<string, Caller> = {
  'the same merchant, sandbox': victimPrograms.sandbox,
  'another merchant, live': await program(tokenFor(node, keysOf(other.live))),
  'a person of the same merchant on the sandbox side': await person(victim, 'sandbox'),
}

/** Bodies in which the id is all there is to refuse. */
const bodies: Record<string, Record<string, unknown>> = {
  createPayout: { amount: 10, externalReference: 'order-by-id' },
  createMomoCharge: { amount: 10, currency: 'KES', externalReference: 'charge-by-id' },
}

async function send(
  route: Route,
  place: Place,
  name: string,
  id: string,
  { prefix, headers }: Caller,
): Promise<Answer> {
  const path = route.path.replaceAll(/:(\w+)/g, (_all, param: string) =>
    encodeURIComponent(param === name ? id : owned[param]![0]!),
  )
  const query = place === 'query' ? `?${name}=${encodeURIComponent(id)}` : ''
  const body = place === 'body' ? { ...bodyOf(route), [name]: id } : route.example.body
  return await node.send({
    method: route.method,
    url: `${prefix}${path}${query}`,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
}

function bodyOf({ about, path }: Route): Record<string, unknown> {
  const body = bodies[about.id]
  assert.ok(body, `say in this test what ${path} takes beside the id in its body`)
  return body
}

async function everythingOfAll(): Promise<unknown> {
  const tables = ['beneficiaries', 'transactions', 'transfers', 'wallets', 'webhooks', 'accounts']
  return await Promise.all(
    tables.map((table) => db.unsafe(`select row_to_json(t)::text from ${table} t order by 1`)),
  )
}

/** An id of the same form, in the same slot, that nobody has. */
function unknownLike(id: string): string {
  const slot = slotOf(id)
  return slot === undefined ? id.replaceAll(/[a-z]/g, 'x') : ids.next(slot)
}

/** All that a caller can see of an answer, without what is new in each. */
function seen({ status, text, headers }: Answer): unknown {
  const { 'x-request-id': _requestId, date: _date, ...rest } = headers
  return { status, text, headers: rest }
}

type Theirs = { whose: string; owned: Owned; strangers: Record<string, Caller> }
const cases: Theirs[] = [
  { whose: 'a stranger', owned, strangers },
  { whose: 'the live side', owned: ownedLive, strangers: strangersToLive },
]

for (const route of routes) {
  for (const { place, name } of idsTaken(route)) {
    for (const theirs of cases) {
      test(`${route.method} ${route.path} does nothing with the ${name} of ${theirs.whose}`, async () => {
        assert.ok(theirs.owned[name], `say in this test whose ${name} is, or that it is shared`)
        const before = await everythingOfAll()
        for (const id of theirs.owned[name]) {
          for (const [who, caller] of Object.entries(theirs.strangers)) {
            const answer = await send(route, place, name, id, caller)
            assertRefused(answer, place, `${who}: ${answer.text}`)
            assert.ok(!answer.text.includes('Achieng'), who)
            const unknown = await send(route, place, name, unknownLike(id), caller)
            assert.deepEqual(seen(answer), seen(unknown), `${who} can tell that it exists`)
          }
        }
        assert.deepEqual(await everythingOfAll(), before)
      })
    }
  }
}

/** A cursor that is not one of ours is wrong input, a filter finds nothing; all else is missing. */
function assertRefused({ status, body }: Answer, place: Place, about: string): void {
  if (place === 'query' && status === 200) assert.deepEqual(body.data, [], about)
  else assert.equal(status, place === 'query' ? 400 : 404, about)
}

test('the ids tried here are real: their owner reads them', async () => {
  const readable = routes.filter(({ method, path }) => method === 'GET' && path.includes(':'))
  for (const [environment, theirs] of [['sandbox', owned] as const, ['live', ownedLive] as const]) {
    for (const route of readable) {
      for (const { name } of idsTaken(route)) {
        for (const id of theirs[name] ?? []) {
          const answer = await send(route, 'params', name, id, victimPrograms[environment])
          assert.equal(answer.status, 200, `${environment} ${route.path}`)
        }
      }
    }
  }
  assert.equal(slotOf(owned.transactionId![0]!), account.slot)
})

const byBody = routes.filter((route) => idsTaken(route).some(({ place }) => place === 'body'))

for (const route of byBody) {
  test(`${route.path} is refused with a stranger's beneficiary, and taken from its owner`, async () => {
    const [name] = idsTaken(route).flatMap(({ place, name: each }) =>
      place === 'body' ? [each] : [],
    )
    const kinds = { createPayout: 0, createMomoCharge: 1 } as Record<string, number>
    const id = owned[name!]![kinds[route.about.id]!]!
    for (const [who, caller] of Object.entries(strangers)) {
      const { status, body } = await send(route, 'body', name!, id, caller)
      assert.deepEqual([status, body.errorCode], [404, 'E-BEN.S-90'], who)
    }
    const own = await send(route, 'body', name!, id, victimPrograms.sandbox)
    assert.equal(own.status, 200, own.text)
    assert.equal(own.body.success, true)
  })
}

test('no list shows anything of a stranger', async () => {
  const lists = routes.filter(({ method, path, auth }) => {
    return method === 'GET' && !path.includes(':') && auth !== 'none' && !path.includes('utilities')
  })
  const secrets = [...Object.values(owned).flat(), victim.merchant.email, 'Achieng sandbox']
  for (const route of lists) {
    for (const [who, { prefix, headers }] of Object.entries(strangers)) {
      const { text } = await node.send({ method: 'GET', url: prefix + route.path, headers })
      const isOwn = who.includes('same merchant')
      for (const secret of secrets) {
        if (isOwn && secret === victim.merchant.email) continue
        assert.ok(!text.includes(secret), `${who} sees ${secret} in ${route.path}`)
      }
    }
  }
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
