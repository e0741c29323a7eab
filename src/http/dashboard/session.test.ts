import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import {
  type Answer,
  makeMerchant,
  startLoneNode,
  type TestNode,
} from '../../../test/app-harness.ts'
import { makePerson, tokenIn, type Visitor, visitorWith } from '../../../test/dashboard.ts'
import { manualClock } from '../../clock.ts'
import { createPasswords } from '../../people/passwords.ts'

const password = 'a horse and a battery'
const next = 'another horse, no battery'
const clock = manualClock(Date.now())
const node = await startLoneNode({ after }, { clock })
const shop = await makeMerchant(node.db)
let hash = ''
before(async () => {
  hash = await createPasswords().hash(password)
})
const quarterHourMs = 15 * 60_000

async function newPerson(role: Visitor['role'] = 'owner', on: TestNode = node): Promise<string> {
  const merchantId = shop.merchant.id
  return (await makePerson(on, { merchantId, role, passwordHash: hash })).email
}

type Login = { email: string; password?: string; code?: string; ip?: string }

function logIn({ ip = '10.0.0.1', ...login }: Login, on: TestNode = node): Promise<Answer> {
  return on.send({
    method: 'POST',
    url: '/dashboard/session',
    headers: { 'content-type': 'application/json', 'user-agent': 'test' },
    payload: JSON.stringify({ password, ...login }),
    remoteAddress: ip,
  })
}

async function signedIn(login: Login): Promise<ReturnType<typeof visitorWith>> {
  const answer = await logIn(login)
  assert.equal(answer.status, 200, answer.text)
  return visitorWith(node, tokenIn(answer))
}

const codeOf = ({ status, body }: Answer) => [status, body.errorCode]
const statusOf = async (answer: Promise<Answer>) => (await answer).status

test('email and password begin a session, told in an http-only cookie', async () => {
  const email = await newPerson('finance')
  const answer = await logIn({ email: ` ${email.toUpperCase()} ` })
  assert.equal(answer.status, 200, answer.text)
  const cookie = String(answer.headers['set-cookie'])
  assert.match(
    cookie,
    /^malipo_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  assert.equal(answer.headers['cache-control'], 'no-store')
  const visitor = visitorWith(node, tokenIn(answer))
  const session = await visitor.call('GET', '/session')
  assert.deepEqual(session.body, answer.body)
  const { person, merchant, csrf, environments } = session.body.data as Record<string, object>
  assert.deepEqual(merchant, { id: shop.merchant.id, name: shop.merchant.name })
  assert.deepEqual([csrf, environments], [visitor.csrf, ['sandbox', 'live']])
  assert.deepEqual(Object.keys(person!), ['id', 'email', 'name', 'role', 'timeZone', 'totp'])
  const [stored] = await node.db`
    select token_hash from sessions where person_id = ${(person as { id: string }).id}`
  assert.ok(!JSON.stringify(stored).includes(tokenIn(answer)), 'the token itself is stored nowhere')
})

test('behind https the cookie is sent by https alone', async (t) => {
  const settings = { MALIPO_PUBLIC_URL: 'https://pay.example' }
  const secure = await startLoneNode(t, { settings })
  const { merchant } = await makeMerchant(secure.db)
  const person = { merchantId: merchant.id, role: 'owner', passwordHash: hash } as const
  const { email } = await makePerson(secure, person)
  assert.match(String((await logIn({ email }, secure)).headers['set-cookie']), /; Secure/)
})

test('a wrong password and an unknown email are refused alike', async () => {
  const email = await newPerson()
  const wrong = await logIn({ email, password: 'not the horse at all' })
  const unknown = await logIn({ email: 'nobody@shop.example' })
  assert.deepEqual(codeOf(wrong), [401, 'INVALID_LOGIN'])
  assert.deepEqual(unknown.body, wrong.body)
  assert.equal(wrong.headers['set-cookie'], undefined)
})

test('who has not joined, or was disabled, cannot sign in', async () => {
  const email = await newPerson()
  await node.db`update people set password_hash = null where email = ${email}`
  assert.deepEqual(codeOf(await logIn({ email })), [401, 'INVALID_LOGIN'])
  const other = await newPerson()
  await node.db`update people set disabled_at = now() where email = ${other}`
  assert.deepEqual(codeOf(await logIn({ email: other })), [401, 'INVALID_LOGIN'])
})

test('too many attempts on one email are refused, on every node, until time has passed', async () => {
  const email = await newPerson()
  const guess = (ip: string) => logIn({ email, password: 'not the horse at all', ip })
  const many = await Promise.all(Array.from({ length: 14 }, (_, at) => guess(`10.1.0.${at}`)))
  assert.equal(many.filter(({ status }) => status === 401).length, 10)
  const refused = many.filter(({ status }) => status === 429)
  assert.equal(refused.length, 4)
  assert.ok(Number(refused[0]!.headers['retry-after']) <= quarterHourMs / 1000)
  assert.equal(await statusOf(logIn({ email, ip: '10.1.1.1' })), 429, 'the right one is too late')
  clock.advance(quarterHourMs)
  assert.equal(await statusOf(logIn({ email })), 200)
})

test('too many attempts from one address are refused, and shut out nobody else', async () => {
  const ip = '2001:db8:1:2::1'
  await node.db`
    insert into login_attempts (key, attempts, ends_at)
    values ('address:2001:db8:1:2', 100, ${new Date(clock.now() + quarterHourMs)})`
  const email = await newPerson()
  assert.equal(await statusOf(logIn({ email, ip })), 429)
  assert.equal(await statusOf(logIn({ email, ip: '2001:db8:1:2:ffff::9' })), 429)
  assert.equal(await statusOf(logIn({ email, ip: '2001:db8:1:3::1' })), 200)
  const [counted] = await node.db`
    select count(*)::int as emails from login_attempts where key like 'email:%' and attempts > 1`
  assert.equal(counted?.emails, 0)
})

test('a success forgives what went wrong before', async () => {
  const email = await newPerson()
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 6; at++) await logIn({ email, password: 'not the horse at all' })
    assert.equal(await statusOf(logIn({ email })), 200, `round ${round}`)
  }
})

test('a session ends when it is told to, and after half a day without use', async () => {
  const email = await newPerson()
  const [first, second] = [await signedIn({ email }), await signedIn({ email })]
  const out = await first.call('DELETE', '/session')
  assert.match(String(out.headers['set-cookie']), /^malipo_session=; Max-Age=0/)
  assert.equal(await statusOf(first.call('GET', '/session')), 401)
  for (let hour = 0; hour < 22; hour += 11) {
    clock.advance(11 * 3_600_000)
    assert.equal(await statusOf(second.call('GET', '/session')), 200, 'in use it goes on')
  }
  clock.advance(12 * 3_600_000)
  assert.equal(await statusOf(second.call('GET', '/session')), 401)
})

test('a session ends after a week, used or not', async () => {
  const visitor = await signedIn({ email: await newPerson() })
  for (let hour = 8; hour < 7 * 24; hour += 8) {
    clock.advance(8 * 3_600_000)
    assert.equal(await statusOf(visitor.call('GET', '/session')), 200, `${hour} h`)
  }
  clock.advance(8 * 3_600_000)
  assert.equal(await statusOf(visitor.call('GET', '/session')), 401)
})

test('a new password needs the old one, and ends every other session', async () => {
  const email = await newPerson()
  const [own, other] = [await signedIn({ email }), await signedIn({ email })]
  const change = (current: string, to: string) =>
    own.call('PUT', '/password', { current, next: to })
  assert.deepEqual(codeOf(await change('not the horse at all', next)), [422, 'WRONG_PASSWORD'])
  assert.deepEqual(codeOf(await change(password, 'too short')), [400, 'VALIDATION_ERROR'])
  assert.equal(await statusOf(other.call('GET', '/session')), 200)
  assert.equal(await statusOf(change(password, next)), 200)
  assert.equal(await statusOf(own.call('GET', '/session')), 200)
  assert.equal(await statusOf(other.call('GET', '/session')), 401)
  assert.equal(await statusOf(logIn({ email })), 401)
  assert.equal(await statusOf(logIn({ email, password: next })), 200)
})

test('whoever has a session cannot guess its password without end', async () => {
  const own = await signedIn({ email: await newPerson() })
  const guess = () => own.call('PUT', '/password', { current: 'not the horse at all', next })
  for (let at = 0; at < 10; at++) assert.equal(await statusOf(guess()), 422)
  assert.equal(await statusOf(guess()), 429)
})

test('all other sessions end at once', async () => {
  const email = await newPerson()
  const [own, ...others] = [
    await signedIn({ email }),
    await signedIn({ email }),
    await signedIn({ email }),
  ]
  const { body } = await own.call('DELETE', '/sessions')
  assert.deepEqual(body.data, { ended: 2 })
  assert.equal(await statusOf(own.call('GET', '/session')), 200)
  for (const other of others) assert.equal(await statusOf(other.call('GET', '/session')), 401)
})

async function withTotp() {
  const email = await newPerson()
  const own = await signedIn({ email })
  const offered = (await own.call('POST', '/totp')).body.data as { secret: string; url: string }
  const totp = new TOTP({ secret: Secret.fromBase32(offered.secret) })
  const codeNow = () => totp.generate({ timestamp: clock.now() })
  return { email, own, codeNow, ...offered }
}

test('codes are asked for once one was proved, and each works once', async () => {
  const { email, own, codeNow, url, secret } = await withTotp()
  assert.match(url, /^otpauth:\/\/totp\/Malipo:/)
  assert.equal(await statusOf(logIn({ email })), 200, 'an offer alone changes nothing')
  const wrong = codeNow() === '000000' ? '000001' : '000000'
  assert.deepEqual(codeOf(await own.call('PUT', '/totp', { code: wrong })), [422, 'WRONG_CODE'])
  assert.equal(await statusOf(own.call('PUT', '/totp', { code: codeNow() })), 200)
  assert.deepEqual(codeOf(await logIn({ email })), [401, 'CODE_REQUIRED'])
  const replayed = await logIn({ email, code: codeNow() })
  assert.deepEqual(codeOf(replayed), [401, 'CODE_REQUIRED'], 'it was used to prove')
  clock.advance(30_000)
  const code = codeNow()
  const many = await Promise.all([1, 2, 3].map(() => logIn({ email, code })))
  assert.deepEqual(many.map(({ status }) => status).toSorted(), [200, 401, 401])
  clock.advance(30_000)
  assert.equal(await statusOf(logIn({ email, code: codeNow(), password: next })), 401)
  assert.equal(await statusOf(logIn({ email, code: codeNow().replace(/^.../, '$& ') })), 200)
  const rows = await node.db`select row_to_json(p)::text as text from people p`
  const bytes = Buffer.from(Secret.fromBase32(secret).bytes).toString('hex')
  assert.ok(!JSON.stringify(rows).includes(bytes), 'the secret is sealed')
})

test('codes are given up with the password only', async () => {
  const { email, own, codeNow } = await withTotp()
  await own.call('PUT', '/totp', { code: codeNow() })
  const off = (given: string) => own.call('DELETE', '/totp', { password: given })
  assert.deepEqual(codeOf(await off('not the horse at all')), [422, 'WRONG_PASSWORD'])
  assert.deepEqual(codeOf(await logIn({ email })), [401, 'CODE_REQUIRED'])
  assert.equal(await statusOf(off(password)), 200)
  assert.equal(await statusOf(logIn({ email })), 200)
})
