import { transaction } from '../src/db/transaction.ts'
import type { Role } from '../src/people/person.ts'
import { csrfOf } from '../src/people/secrets.ts'
import type { Answer, Request, TestNode } from './app-harness.ts'

/** Somebody with a session, as a browser on the dashboard has it. */
export type Visitor = {
  personId: string
  email: string
  role: Role
  cookie: string
  csrf: string
  /** Calls a path below /dashboard with the cookie and, where it changes something, the token. */
  call(method: Request['method'], path: string, body?: unknown): Promise<Answer>
}

export type NewPerson = { merchantId: string; role: Role; email?: string; passwordHash?: string }

let made = 0

/** A person who has joined, without the time a real password takes. */
export async function makePerson(
  { db, ids }: Pick<TestNode, 'db' | 'ids'>,
  { merchantId, role, passwordHash = 'none', ...given }: NewPerson,
): Promise<{ personId: string; email: string }> {
  made++
  const personId = ids.next(0)
  const email = given.email ?? `${role}-${made}-${personId.slice(-8)}@shop.example`
  await db`
    insert into people (id, merchant_id, email, name, role, password_hash)
    values (${personId}, ${merchantId}, ${email}, ${`${role} ${made}`}, ${role}, ${passwordHash})`
  return { personId, email }
}

/** A new person of the merchant, signed in on the node. */
export async function signInAs(
  node: TestNode,
  { merchant }: { merchant: { id: string } },
  role: Role,
): Promise<Visitor> {
  const { personId, email } = await makePerson(node, { merchantId: merchant.id, role })
  const caller = { ip: '127.0.0.1', userAgent: 'test' }
  const { token } = await transaction(node.db, (tx) =>
    node.people.sessions.begin(tx, personId, caller),
  )
  return { personId, email, role, ...visitorWith(node, token) }
}

/** Whoever has the token of a session. */
export function visitorWith(
  node: TestNode,
  token: string,
): Pick<Visitor, 'cookie' | 'csrf' | 'call'> {
  const cookie = `malipo_session=${token}`
  const csrf = csrfOf(token)
  return {
    cookie,
    csrf,
    call: (method, path, body) =>
      node.send({
        method,
        url: `/dashboard${path}`,
        headers: {
          cookie,
          ...(method === 'GET' ? {} : { 'x-csrf-token': csrf }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
  }
}

/** The token of the session that an answer begins. */
export function tokenIn({ headers }: Answer): string {
  const [, token] = /malipo_session=([^;]*)/.exec(String(headers['set-cookie'])) ?? []
  return token ?? ''
}
