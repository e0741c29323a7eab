import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, makeMerchant, startNode } from '../../../test/app-harness.ts'
import { signInAs, tokenIn, type Visitor, visitorWith } from '../../../test/dashboard.ts'
import { testDatabase, waitFor } from '../../../test/harness.ts'
import { manualClock } from '../../clock.ts'

const { url, drop } = await testDatabase()
const clock = manualClock(Date.now())
const node = await startNode({ after }, url, { clock })
const elsewhere = await startNode({ after }, url)
after(drop)
const password = 'a horse and a battery'
const weekMs = 7 * 24 * 3_600_000

const codeOf = ({ status, body }: Answer) => [status, body.errorCode]
const statusOf = async (answer: Promise<Answer>) => (await answer).status

async function newShop() {
  const shop = await makeMerchant(node.db)
  return { shop, owner: await signInAs(node, shop, 'owner') }
}

let made = 0
const newEmail = () => `invited-${++made}@shop.example`

async function invite(owner: Visitor, role = 'finance', email = newEmail()) {
  const answer = await owner.call('POST', '/people', { email, name: 'Juma', role })
  assert.equal(answer.status, 200, answer.text)
  const { id, invitation } = answer.body.data as { id: string; invitation: string }
  assert.match(invitation, /^\/join\/[\w-]{43}$/)
  return { id, email, token: invitation.slice('/join/'.length) }
}

const look = (token: string) => node.send({ method: 'GET', url: `/dashboard/invitation/${token}` })

const accept = (token: string, body: object = { password }) =>
  node.send({
    method: 'POST',
    url: `/dashboard/invitation/${token}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })

const people = async (visitor: Visitor) =>
  (await visitor.call('GET', '/people')).body.data as Record<string, unknown>[]

test('a person joins by a link that works once', async () => {
  const { shop, owner } = await newShop()
  const { id, email, token } = await invite(owner)
  const seen = await look(token)
  assert.deepEqual(seen.body.data, { email, name: 'Juma', merchant: shop.merchant.name })
  assert.deepEqual(codeOf(await accept(token, { password: 'short' })), [400, 'VALIDATION_ERROR'])
  const [invited] = (await people(owner)).filter((each) => each.id === id)
  assert.deepEqual([invited?.invited, invited?.role], [true, 'finance'])
  const both = await Promise.all([accept(token, { password, name: 'Juma O.' }), accept(token)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
  const joined = visitorWith(node, tokenIn(both.find(({ status }) => status === 200)!))
  assert.equal(await statusOf(joined.call('GET', '/session')), 200)
  for (const answer of [await look(token), await accept(token)]) {
    assert.deepEqual(codeOf(answer), [404, 'INVITATION_NOT_FOUND'])
  }
  const [now] = (await people(owner)).filter((each) => each.id === id)
  assert.equal(now?.invited, false)
})

test('an invitation ends after a week, with a newer one, and with the person', async () => {
  const { owner } = await newShop()
  const { id, token } = await invite(owner)
  const again = await owner.call('POST', `/people/${id}/invite`)
  const newer = String((again.body.data as { invitation: string }).invitation).slice(6)
  assert.equal((await look(token)).status, 404)
  assert.equal((await look(newer)).status, 200)
  await owner.call('PUT', `/people/${id}`, { disabled: true })
  assert.equal((await look(newer)).status, 404)
  const late = await invite(owner)
  clock.advance(weekMs)
  assert.equal((await accept(late.token)).status, 404)
  for (const odd of ['x', 'A'.repeat(43), 'A'.repeat(190)]) {
    assert.equal((await look(odd)).status, 404)
  }
})

test('a new link for who cannot sign in ends their sessions and their codes', async () => {
  const { shop, owner } = await newShop()
  const lost = await signInAs(node, shop, 'developer')
  await node.db`update people set totp_sealed = '\\x00' where id = ${lost.personId}`
  const { body } = await owner.call('POST', `/people/${lost.personId}/invite`)
  assert.equal(await statusOf(lost.call('GET', '/session')), 200, 'until it is used')
  const token = String((body.data as { invitation: string }).invitation).slice(6)
  const joined = visitorWith(node, tokenIn(await accept(token)))
  assert.equal(await statusOf(lost.call('GET', '/session')), 401)
  const { person } = (await joined.call('GET', '/session')).body.data as Record<string, object>
  assert.equal((person as { totp: boolean }).totp, false)
  const own = await owner.call('POST', `/people/${owner.personId}/invite`)
  assert.deepEqual(codeOf(own), [400, 'VALIDATION_ERROR'], 'not for oneself')
})

test('an email has one login, whoever invites it', async () => {
  const [one, other] = [await newShop(), await newShop()]
  const { email } = await invite(one.owner)
  const body = { email: email.toUpperCase(), name: 'Juma', role: 'viewer' }
  const answer = await other.owner.call('POST', '/people', body)
  assert.deepEqual(codeOf(answer), [409, 'EMAIL_TAKEN'])
  const wrong = await other.owner.call('POST', '/people', { ...body, email: 'juma' })
  assert.equal(wrong.status, 400)
})

test('a new role, and an end of access, hold at once and on every node', async () => {
  const { shop, owner } = await newShop()
  const juma = await signInAs(node, shop, 'finance')
  const there = visitorWith(elsewhere, juma.cookie.split('=')[1]!)
  assert.equal(await statusOf(there.call('GET', '/audit')), 200)
  const body = { role: 'viewer' }
  const { body: changed } = await owner.call('PUT', `/people/${juma.personId}`, body)
  assert.equal((changed.data as { role: string }).role, 'viewer')
  assert.equal(await statusOf(juma.call('GET', '/audit')), 403)
  await waitFor(async () => (await statusOf(there.call('GET', '/audit'))) === 403)
  await owner.call('PUT', `/people/${juma.personId}`, { disabled: true })
  assert.equal(await statusOf(juma.call('GET', '/session')), 401)
  await waitFor(async () => (await statusOf(there.call('GET', '/session'))) === 401)
  await owner.call('PUT', `/people/${juma.personId}`, { disabled: false })
  assert.equal(await statusOf(juma.call('GET', '/session')), 401, 'a session does not come back')
})

test('there is always an owner, also when two give up at once', async () => {
  const { shop, owner } = await newShop()
  const lower = (by: Visitor, whom: Visitor) =>
    by.call('PUT', `/people/${whom.personId}`, { role: 'viewer' })
  assert.deepEqual(codeOf(await lower(owner, owner)), [409, 'LAST_OWNER'])
  const off = await owner.call('PUT', `/people/${owner.personId}`, { disabled: true })
  assert.deepEqual(codeOf(off), [409, 'LAST_OWNER'])
  await invite(owner, 'owner')
  assert.equal((await lower(owner, owner)).status, 409, 'who was only invited does not count')
  const second = await signInAs(node, shop, 'owner')
  const both = await Promise.all([lower(owner, second), lower(second, owner)])
  assert.equal(both.filter(({ status }) => status === 200).length, 1)
})

test('people of another merchant cannot be seen or changed', async () => {
  const [one, other] = [await newShop(), await newShop()]
  const { id } = await invite(other.owner)
  for (const stranger of [id, other.owner.personId, 'x']) {
    const answers = [
      await one.owner.call('PUT', `/people/${stranger}`, { role: 'viewer' }),
      await one.owner.call('POST', `/people/${stranger}/invite`),
    ]
    for (const answer of answers) assert.deepEqual(codeOf(answer), [404, 'PERSON_NOT_FOUND'])
  }
  assert.deepEqual(
    (await people(one.owner)).map((each) => each.id),
    [one.owner.personId],
  )
})

test('a profile keeps a name and a time zone that exists', async () => {
  const { owner } = await newShop()
  const set = (body: object) => owner.call('PUT', '/profile', body)
  assert.equal(await statusOf(set({ name: 'Asha', timeZone: 'Africa/Nairobi' })), 200)
  for (const wrong of [{ timeZone: 'Mars/Base' }, { name: '  ' }]) {
    assert.deepEqual(codeOf(await set(wrong)), [400, 'VALIDATION_ERROR'])
  }
  const { person } = (await owner.call('GET', '/session')).body.data as Record<string, object>
  const { name, timeZone } = person as { name: string; timeZone: string }
  assert.deepEqual([name, timeZone], ['Asha', 'Africa/Nairobi'])
})

type Entry = Record<'id' | 'actor' | 'actorName' | 'action' | 'subject', string>

test('what people change is on record, for their own merchant alone', async () => {
  const { owner } = await newShop()
  const { owner: stranger } = await newShop()
  const { id } = await invite(owner)
  const urls = { sandboxWebhookUrl: 'https://shop.example/hook' }
  assert.equal(await statusOf(owner.call('PUT', '/sandbox/b2b/users/webhooks', urls)), 200)
  const entries = (await owner.call('GET', '/audit')).body.data as Entry[]
  const actor = `person:${owner.personId}`
  const find = (action: string) => entries.find((each) => each.action === action)
  assert.deepEqual([find('person.invite')?.actor, find('person.invite')?.subject], [actor, id])
  assert.equal(find('webhook.url')?.actor, actor)
  assert.match(find('person.invite')?.actorName ?? '', /^owner \d+$/)
  assert.deepEqual(
    [find('merchant.create')?.actor, find('merchant.create')?.actorName],
    ['operator', 'operator'],
  )
  const theirs = (await stranger.call('GET', '/audit')).body.data as Entry[]
  const own = new Set(entries.map((each) => each.id))
  assert.ok(theirs.length > 0 && !theirs.some((each) => own.has(each.id)))
  const pages: Entry[] = []
  let after = ''
  do {
    const { body } = await owner.call('GET', `/audit?limit=2${after}`)
    pages.push(...(body.data as Entry[]))
    after = body.next === null ? '' : `&after=${body.next}`
  } while (after !== '')
  assert.deepEqual(pages, entries)
  assert.equal((await owner.call('GET', '/audit?after=x')).status, 400)
})

test('an operation of the API that a person asks for is on record before it is done', async () => {
  const { owner } = await newShop()
  const missing = '01990a3c-5a00-7001-8a5b-3c2d1e0f0042'
  assert.equal((await owner.call('POST', `/sandbox/b2b/webhooks/${missing}/resend`)).status, 404)
  const entries = (await owner.call('GET', '/audit')).body.data as Entry[]
  const found = entries.filter(({ action }) => action.startsWith('request.'))
  assert.deepEqual(
    found.map(({ action, subject }) => [action, subject]),
    [['request.resendWebhook', missing]],
  )
})
