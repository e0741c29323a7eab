import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeMerchant, startLoneNode } from '../../../test/app-harness.ts'
import { fileOf } from '../../../test/batches.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { addEvents } from '../../../test/events.ts'
import { addTransaction } from '../../../test/transactions.ts'
import { slotOf } from '../../ids.ts'
import { walletsOf } from '../../ledger/wallets.ts'
import { dashboardRoutes } from './index.ts'

/**
 * Made from the table of routes: whoever adds one that takes an id has to say here what it names,
 * and then it is tried with the id of a stranger.
 */
const node = await startLoneNode({ after })
const { db, ids } = node
const victim = await makeMerchant(db)
const { account, credential } = victim.sandbox
const owner = { accountId: account.id, slot: account.slot, environment: account.environment }
const victimOwner = await signInAs(node, victim, 'owner')

async function addSuspense(): Promise<string> {
  const id = ids.next(account.slot)
  await db`
    insert into suspense_items (slot, id, environment, rail, currency, amount, story, account_id,
      created_at)
    values (${account.slot}, ${id}, 'sandbox', 'sandbox', 'KES', 700, 'too much', ${account.id},
      now())`
  return id
}

async function addBatch(): Promise<string> {
  const csv = fileOf([['order-of-a-batch', '10', '000']])
  const actor = { personId: victimOwner.personId, name: 'Owner' }
  const { batch } = await node.batches.create({ ...owner, feePlan: [] }, actor, { name: 'B', csv })
  return batch.id
}

/** What belongs to one account or merchant, by the path under which it is found. */
const owned: Record<string, string> = {
  '/transactions/:id': await addTransaction(db, ids, account, { account_name: 'Achieng Otieno' }),
  '/wallets/:id': (await walletsOf(db, owner))[0]!.id,
  '/suspense/:id': await addSuspense(),
  '/keys/:id': credential.id,
  '/webhooks/:id': (await addEvents(db, ids, account, { transactions: 1 }))[0]!.id,
  '/batches/:id': await addBatch(),
  '/people/:id': victimOwner.personId,
}

const stranger = await signInAs(node, await makeMerchant(db), 'owner')

/** Bodies for operations that want one, so that it is the id that is refused. */
const bodies: Record<string, object> = {
  rotateKey: { overlapMinutes: 5 },
  submitBatch: { skipInvalid: true },
  changePerson: { role: 'viewer' },
}

type Try = { who: string; visitor: Visitor; environment: string }
const strangers: Try[] = [
  { who: 'another merchant', visitor: stranger, environment: 'sandbox' },
  { who: 'the other side of the same merchant', visitor: victimOwner, environment: 'live' },
]

/** Not a list of the log of requests and people last seen: being looked at changes these. */
async function everything(): Promise<unknown> {
  const tables = ['transactions', 'transfers', 'wallets', 'webhooks', 'accounts', 'credentials']
  const more = ['suspense_items', 'batches', 'batch_lines', 'login_attempts']
  return await Promise.all(
    [...tables, ...more].map((table) =>
      db.unsafe(`select row_to_json(t)::text from ${table} t order by 1`),
    ),
  )
}

const withId = dashboardRoutes.filter(({ path }) => path.includes(':id'))

for (const { method, path, perAccount, about } of withId) {
  test(`${method} ${path} does nothing with the id of a stranger`, async () => {
    const [place = ''] = /^\/[\w-]+\/:id/.exec(path) ?? []
    const id = owned[place]
    assert.ok(id, `say in this test what the id in ${path} names`)
    const before = await everything()
    for (const { who, visitor, environment } of strangers) {
      if (!perAccount && visitor === victimOwner) continue
      const prefix = perAccount ? `/${environment}` : ''
      const body = bodies[about.id]
      const answer = await visitor.call(method, prefix + path.replace(':id', id), body)
      assert.equal(answer.status, 404, `${who}: ${answer.text}`)
      const nobodys = ids.next(slotOf(id)!)
      const unknown = await visitor.call(method, prefix + path.replace(':id', nobodys), body)
      assert.deepEqual([unknown.status, unknown.text], [answer.status, answer.text], who)
    }
    assert.deepEqual(await everything(), before)
  })
}

const lists = dashboardRoutes.filter(
  ({ method, path, may, about }) =>
    method === 'GET' && !path.includes(':') && may !== 'anyone' && about.id !== 'followEvents',
)

/** What must not be seen elsewhere. */
const secrets = [
  ...Object.values(owned),
  'Achieng',
  account.id,
  victim.merchant.id,
  victim.merchant.name,
]

async function readAll({ visitor, environment }: Omit<Try, 'who'>, some = lists): Promise<string> {
  const texts: string[] = []
  for (const { path, perAccount } of some) {
    const answer = await visitor.call('GET', (perAccount ? `/${environment}` : '') + path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    texts.push(answer.text)
  }
  return texts.join('\n')
}

test('no list shows anything of another merchant', async () => {
  const text = await readAll({ visitor: stranger, environment: 'sandbox' })
  for (const secret of secrets) assert.ok(!text.includes(secret), secret)
})

test('no list of the live side shows anything of the sandbox', async () => {
  const ofAccounts = lists.filter(({ perAccount }) => perAccount)
  const lines = await readAll({ visitor: victimOwner, environment: 'live' }, ofAccounts)
  for (const [place, id] of Object.entries(owned)) assert.ok(!lines.includes(id), place)
})

test('the ids tried here are real: their owner finds every one in a list', async () => {
  const text = await readAll({ visitor: victimOwner, environment: 'sandbox' })
  for (const [place, id] of Object.entries(owned)) assert.ok(text.includes(id), place)
})

test('a stranger resends no webhook by naming it', async () => {
  const urls = { sandboxWebhookUrl: 'https://shop.example/hook' }
  assert.equal((await stranger.call('PUT', '/sandbox/b2b/users/webhooks', urls)).status, 200)
  const before = await everything()
  const body = { ids: [owned['/webhooks/:id']] }
  const answer = await stranger.call('POST', '/sandbox/webhooks/resend', body)
  assert.ok(answer.status === 404 || answer.text.includes('"count":0'), answer.text)
  assert.deepEqual(await everything(), before)
})

type Schema = { properties?: Record<string, unknown> }
const namesIn = (schema: unknown): string[] => Object.keys((schema as Schema)?.properties ?? {})

const inQueries = ['after', 'transactionId']

test('no list shows anything of a stranger whose id is its cursor or its filter', async () => {
  const tries = lists.flatMap(({ path, perAccount, input }) =>
    inQueries
      .filter((name) => namesIn(input.query).includes(name))
      .map((name) => `${perAccount ? '/sandbox' : ''}${path}?${name}=`),
  )
  for (const name of inQueries) assert.ok(tries.some((url) => url.endsWith(`?${name}=`)))
  for (const url of tries) {
    for (const id of Object.values(owned)) {
      const { status, text } = await stranger.call('GET', url + id)
      assert.ok([200, 400, 404].includes(status), `${url}${id}: ${text}`)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${url}${id}: ${secret}`)
    }
  }
})

test('no id is taken in a query or a body but those that are tried here', () => {
  const taken = dashboardRoutes.flatMap(({ input }) => [
    ...namesIn(input.query),
    ...namesIn(input.body),
  ])
  const likeIds = taken.filter((name) => /^(id|ids|after)$|Ids?$/.test(name))
  assert.deepEqual([...new Set(likeIds)].toSorted(), ['after', 'ids', 'transactionId'])
})
