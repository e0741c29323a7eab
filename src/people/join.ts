import type { Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { audit, personActor } from '../merchants/audit.ts'
import { checkedName } from './manage.ts'
import { assertPassword } from './passwords.ts'
import type { People } from './people.ts'
import { hashSecret, secretShape } from './secrets.ts'
import { type Caller, endSessionsOf } from './sessions.ts'
import { beginSession } from './sign-in.ts'

export type Invitation = {
  id: string
  merchantId: string
  email: string
  name: string
  merchant: string
}

export async function readInvitation(
  { db, clock }: Pick<People, 'clock'> & { db: Sql },
  token: string,
): Promise<Invitation> {
  const [invitation] = secretShape.test(token)
    ? await db<Invitation[]>`
        select p.id, p.merchant_id as "merchantId", p.email, p.name, m.name as merchant
        from people p join merchants m on m.id = p.merchant_id
        where p.invitation_hash = ${hashSecret(token)} and p.disabled_at is null
          and p.invitation_ends_at > ${new Date(clock.now())}`
    : []
  if (invitation) return invitation
  throw new AppError('INVITATION_NOT_FOUND')
}

/**
 * Sets the password and signs in. It works once. Whoever comes this way a second time has lost
 * their way in, so a second factor ends with it, and so does every session.
 */
export async function join(
  people: People,
  token: string,
  { password, name }: { password: string; name?: string | undefined },
  caller: Caller,
): Promise<{ token: string; personId: string }> {
  const { db, ids, clock, passwords, sessions } = people
  assertPassword(password)
  const newName = name === undefined ? null : checkedName(name)
  await readInvitation(people, token)
  const hash = await passwords.hash(password)
  const joined = await transaction(db, async (tx) => {
    await tx`select 1 from people where invitation_hash = ${hashSecret(token)} for update`
    const person = await readInvitation({ db: tx, clock }, token)
    await tx`
      update people set password_hash = ${hash}, name = coalesce(${newName}, name),
        invitation_hash = null, invitation_ends_at = null,
        totp_sealed = null, totp_offered_sealed = null, totp_last_step = null
      where id = ${person.id}`
    await endSessionsOf(tx, person.id, null)
    const { id, merchantId } = person
    await audit(tx, ids, { actor: personActor(id), action: 'person.join', subject: id, merchantId })
    return { personId: id, ...(await beginSession(people, tx, person, caller)) }
  })
  sessions.forget(joined.personId)
  return joined
}
