import type { Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { audit, personActor } from '../merchants/audit.ts'
import { assertPassword } from './passwords.ts'
import type { People } from './people.ts'
import type { SignedIn } from './person.ts'
import { endSessionsOf } from './sessions.ts'
import { countAttempt, forgive } from './throttle.ts'
import { newTotp, stepOfCode } from './totp.ts'

/** Sets another password and ends every other session: whoever had the old one is out. */
export async function changePassword(
  people: People,
  person: SignedIn,
  { current, next, ip }: { current: string; next: string; ip: string },
): Promise<void> {
  assertPassword(next)
  await assertOwnPassword(people, person, current, ip)
  const hash = await people.passwords.hash(next)
  await transaction(people.db, async (tx) => {
    await tx`update people set password_hash = ${hash} where id = ${person.personId}`
    await endSessionsOf(tx, person.personId, person.sessionId)
    await forgive(tx, { email: person.email, ip })
    await record(people, tx, person, 'person.password')
  })
  people.sessions.forget(person.personId)
}

/** A secret to put into an app. It counts once a code of it has come back. */
export async function offerTotp(
  { db, seal }: People,
  { personId, email }: SignedIn,
): Promise<{ secret: string; url: string }> {
  const { sealed, secret, url } = newTotp(seal, email)
  await db`update people set totp_offered_sealed = ${sealed} where id = ${personId}`
  return { secret, url }
}

export async function enableTotp(people: People, person: SignedIn, code: string): Promise<void> {
  const { db, seal, clock, sessions } = people
  await transaction(db, async (tx) => {
    const [row] = await tx<{ offered: Buffer | null }[]>`
      select totp_offered_sealed as offered from people where id = ${person.personId} for update`
    if (!row?.offered) throw new AppError('WRONG_CODE', { message: 'Ask for a new secret first.' })
    const step = stepOfCode(seal, row.offered, code, clock.now(), null)
    if (step === undefined) throw new AppError('WRONG_CODE')
    await tx`
      update people set totp_sealed = totp_offered_sealed, totp_offered_sealed = null,
        totp_last_step = ${step}
      where id = ${person.personId}`
    await endSessionsOf(tx, person.personId, person.sessionId)
    await record(people, tx, person, 'person.totp_on')
  })
  sessions.forget(person.personId)
}

export async function disableTotp(
  people: People,
  person: SignedIn,
  { password, ip }: { password: string; ip: string },
): Promise<void> {
  await assertOwnPassword(people, person, password, ip)
  await transaction(people.db, async (tx) => {
    await tx`
      update people set totp_sealed = null, totp_offered_sealed = null, totp_last_step = null
      where id = ${person.personId}`
    await forgive(tx, { email: person.email, ip })
    await record(people, tx, person, 'person.totp_off')
  })
}

/** A session alone is not enough: somebody may have left it open. Guesses count as at the door. */
async function assertOwnPassword(
  people: People,
  { personId, email }: SignedIn,
  password: string,
  ip: string,
): Promise<void> {
  await countAttempt(people, { email, ip })
  const [row] = await people.db<{ hash: string | null }[]>`
    select password_hash as hash from people where id = ${personId}`
  if (!(await people.passwords.verify(password, row?.hash))) throw new AppError('WRONG_PASSWORD')
}

async function record(
  { ids }: People,
  tx: Tx,
  { personId, merchantId }: SignedIn,
  action: string,
): Promise<void> {
  await audit(tx, ids, { actor: personActor(personId), action, subject: personId, merchantId })
}
