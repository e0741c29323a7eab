import { systemClock } from '../../src/clock.ts'
import type { Db } from '../../src/db/pool.ts'
import { createIds } from '../../src/ids.ts'
import { scopes } from '../../src/merchants/account.ts'
import { type CreatedMerchant, createMerchant } from '../../src/merchants/create-merchant.ts'
import { roles } from '../../src/people/person.ts'
import { csrfOf, hashSecret, newSecret } from '../../src/people/secrets.ts'
import { keysOf, makeKeys } from '../app-harness.ts'
import { makePerson } from '../dashboard.ts'
import { exchange } from '../processes.ts'
import type { FuzzedService } from './fuzzed-process.ts'
import type { CallerName, Callers } from './requests.ts'

/** Programs with tokens and people with sessions, all of one merchant. */
export type Cast = {
  callers: Callers
  /** Keys that can be exchanged for a token. */
  keys: Record<'publicKey' | 'api-key', string[]>
  /** Gives a person whose session was ended a new one. */
  renew(name: CallerName): Promise<void>
}

const ids = createIds(systemClock)
const dayMs = 86_400_000
/** Well formed, signed with a key that nobody has. */
const oldToken = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvbGQifQ.c2lnbmF0dXJlLXRoYXQtaXMtbm9uZQ'

export async function openCast({ db, seal, port }: FuzzedService, round: number): Promise<Cast> {
  const merchant = await createMerchant(db, ids, seal, 'fuzz', {
    ...{ name: `Fuzz ${round}`, firstName: 'Asha', lastName: 'Otieno' },
    email: `fuzz-${round}@malipo.example`,
  })
  const lines = new Map<CallerName, string[]>([['nobody', []]])
  const base = `http://127.0.0.1:${port}`
  const tokenOf = async (keys: ReturnType<typeof keysOf>) =>
    `authorization: Bearer ${(await exchange(base, keys)).body.token}`
  lines.set('all', [await tokenOf(keysOf(merchant.sandbox))])
  lines.set('live', [await tokenOf(keysOf(merchant.live))])
  lines.set('old', [`authorization: Bearer ${oldToken}`])
  for (const scope of scopes) {
    const keys = await makeKeys(db, merchant.sandbox, { scopes: [scope] })
    lines.set(scope as CallerName, [await tokenOf(keys)])
  }
  const people = await openPeople(db, merchant)
  const renew = async (name: CallerName) => {
    const personId = people.get(name)
    if (personId !== undefined) lines.set(name, await sessionOf(db, personId))
  }
  for (const name of people.keys()) await renew(name)
  const { publicKey, apiKey } = keysOf(merchant.sandbox)
  const keys = { publicKey: [publicKey], 'api-key': [apiKey] }
  return { callers: (name) => lines.get(name) ?? [], keys, renew }
}

async function openPeople(db: Db, { merchant }: CreatedMerchant): Promise<Map<CallerName, string>> {
  const people = new Map<CallerName, string>()
  for (const role of roles) {
    const { personId } = await makePerson({ db, ids }, { merchantId: merchant.id, role })
    people.set(role, personId)
  }
  return people
}

/** As a sign-in would begin it, without the time a password takes. */
async function sessionOf(db: Db, personId: string): Promise<string[]> {
  const token = newSecret()
  const now = new Date()
  await db`
    insert into sessions (id, person_id, token_hash, ip, user_agent, created_at, seen_at, ends_at)
    values (${ids.next(0)}, ${personId}, ${hashSecret(token)}, '127.0.0.1', 'fuzz', ${now}, ${now},
      ${new Date(now.getTime() + dayMs)})`
  return [`cookie: malipo_session=${token}`, `x-csrf-token: ${csrfOf(token)}`]
}
