import { transaction } from '../db/transaction.ts'
import type { People } from './people.ts'
import { newSecret } from './secrets.ts'
import { endSessionsOf } from './sessions.ts'

/** No password where the person has chosen another one since. */
export type DemoLogin = { email: string; password: string | null }

const email = 'demo@malipo.example'
const name = 'Demo Owner'
const passwordLength = 20

/**
 * Makes the first login of the demo merchant. The password is known only to whoever kept it: a
 * start that finds nothing kept sets a new one.
 */
export async function ensureDemoPerson(
  { db, ids, passwords }: Pick<People, 'db' | 'ids' | 'passwords'>,
  kept: DemoLogin | undefined,
): Promise<DemoLogin> {
  const [known] = await db<{ hash: string | null }[]>`
    select password_hash as hash from people where lower(email) = ${email}`
  if (known && kept) {
    const isSame = kept.password !== null && (await passwords.verify(kept.password, known.hash))
    return { email, password: isSame ? kept.password : null }
  }
  const password = newSecret().slice(0, passwordLength)
  const hash = await passwords.hash(password)
  await transaction(db, async (tx) => {
    const [person] = await tx<{ id: string }[]>`
      insert into people (id, merchant_id, email, name, role, password_hash)
      select ${ids.next(0)}, merchant_id, ${email}, ${name}, 'owner', ${hash}
      from accounts
      where id = (select (value ->> 'accountId')::uuid from settings where name = 'demo_merchant')
      on conflict ((lower(email))) do update set password_hash = excluded.password_hash
      returning id`
    await endSessionsOf(tx, person!.id, null)
  })
  return { email, password }
}
