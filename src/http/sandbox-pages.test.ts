import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooksAgree } from '../../test/charge-books.ts'
import {
  cardDetails,
  openTill,
  startChargeWorld,
  storyOf,
  type Till,
} from '../../test/charge-world.ts'

const world = await startChargeWorld({ after })
const redirectCard = cardDetails('4000002760003184')

async function redirected(till: Till, fields: object = {}) {
  const { body, text } = await till.card({ cardDetails: redirectCard, ...fields })
  const data = body.data as { transactionId: string; redirectUrl: string }
  assert.ok(data.redirectUrl, text)
  return { id: data.transactionId, path: new URL(data.redirectUrl).pathname }
}

const look = (path: string) => world.send({ method: 'GET', url: path })
const decide = (path: string, payload: string, type = 'application/x-www-form-urlencoded') =>
  world.send({ method: 'POST', url: path, headers: { 'content-type': type }, payload })

test('the page shows what is paid, has no script, and is not kept or framed', async () => {
  const till = await openTill(world)
  const externalReference = `<script>alert("1")</script> & 'more'`
  const { path } = await redirected(till, { externalReference })
  const { status, text, headers } = await look(path)
  assert.equal(status, 200)
  assert.match(text, /<dd>KES 25\.00<\/dd>/)
  assert.match(text, /<dd>400000\*{6}3184<\/dd>/)
  assert.match(text, /&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt; &amp; &#39;more&#39;/)
  assert.doesNotMatch(text, /<script|javascript:|\son\w+=/i)
  assert.match(text, /<html lang="en">.*<title>.*<main.*<h1>/s)
  assert.equal(headers['cache-control'], 'no-store')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'; form-action 'self'$/)
})

test('the form may lead to the shop, and to nowhere else', async () => {
  const till = await openTill(world)
  const { path } = await redirected(till, { redirectUrl: 'https://shop.example/back?cart=1' })
  for (const { headers } of [await look(path), await decide(path, 'decision=maybe')]) {
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /form-action 'self' https:\/\/shop\.example$/)
  }
})

test('a decision leads back with the charge, and the link is used', async () => {
  const till = await openTill(world)
  for (const [decision, word, state] of [
    ['approve', 'approved', 'succeeded'],
    ['decline', 'declined', 'failed'],
  ] as const) {
    const fields = { redirectUrl: 'https://shop.example/back?cart=1' }
    const { id, path } = await redirected(till, fields)
    const answer = await decide(path, `decision=${decision}`)
    assert.equal(answer.status, 303)
    const back = new URL(String(answer.headers.location))
    assert.equal(back.origin + back.pathname, 'https://shop.example/back')
    const { cart, transactionId, status } = Object.fromEntries(back.searchParams)
    assert.deepEqual([cart, transactionId, status], ['1', id, word])
    const again = [await look(path), await decide(path, 'decision=approve')]
    assert.deepEqual(
      again.map((each) => each.status),
      [410, 410],
    )
    await world.pass(2000)
    assert.equal((await storyOf(world, id)).state, state)
  }
})

test('mobile money on a page of the operator returns by its outcome', async () => {
  const till = await openTill(world)
  const wave = {
    ...{ currency: 'XOF', amount: 5000, phoneNumber: '+221771234567', momoOperatorId: 'wave' },
    successRedirectUrl: 'https://shop.example/thanks',
    failureRedirectUrl: 'https://shop.example/sorry',
  }
  for (const [decision, name] of [
    ['approve', 'thanks'],
    ['decline', 'sorry'],
  ] as const) {
    const id = await till.accepted(till.momo(wave))
    await world.work()
    const { stepRequired, redirectUrl } = await till.read(id)
    assert.equal(stepRequired, 'redirect')
    const answer = await decide(new URL(String(redirectUrl)).pathname, `decision=${decision}`)
    assert.equal(new URL(String(answer.headers.location)).pathname, `/${name}`)
  }
})

test('a changed, cut or foreign link is no link', async () => {
  const till = await openTill(world)
  const { path } = await redirected(till)
  const other = await redirected(till)
  const [key] = path.split('.')
  const [, signature] = other.path.split('.')
  for (const wrong of [`${path}x`, path.slice(0, -1), key!, `${key}.${signature}`]) {
    assert.equal((await look(wrong)).status, 404, wrong)
    assert.equal((await decide(wrong, 'decision=approve')).status, 404, wrong)
  }
})

test('no decision, another body and a large one decide nothing', async () => {
  const till = await openTill(world)
  const { id, path } = await redirected(till)
  const answers = [
    await decide(path, ''),
    await decide(path, 'decision=perhaps'),
    await decide(path, '{"decision":"approve"}', 'application/json'),
    await decide(path, `decision=approve&more=${'x'.repeat(5000)}`),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400, 415, 413],
  )
  assert.equal((await storyOf(world, id)).state, 'awaiting')
})

test('after the deadline there is nothing to confirm, noticed or not', async () => {
  const till = await openTill(world)
  const { id, path } = await redirected(till)
  world.clock.advance(30 * 60_000)
  assert.equal((await look(path)).status, 410)
  assert.equal((await decide(path, 'decision=approve')).status, 410)
  await world.work()
  assert.equal((await look(path)).status, 410)
  const { reason, suspense } = await storyOf(world, id)
  assert.deepEqual([reason, suspense], ['expired', []])
})

test('approved many times at once it settles once', async () => {
  const till = await openTill(world)
  const { id, path } = await redirected(till)
  const decisions = ['approve', 'decline', 'approve', 'decline', 'approve', 'decline']
  await Promise.all(decisions.map((decision) => decide(path, `decision=${decision}`)))
  await world.pass(2000)
  const { told } = await storyOf(world, id)
  assert.equal(told.length, 3)
})

test('after all of this the books agree', () => assertBooksAgree(world.db))
