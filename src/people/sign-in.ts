import type { Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { audit, personActor } from '../merchants/audit.ts'
import type { People } from './people.ts'
import type { Caller } from './sessions.ts'
import { countAttempt, forgive } from './throttle.ts'
import { stepOfCode } from './totp.ts'

export type Login = { email: string; password: string; code?: string | undefined }

type PersonRow = {
  id: string
  merchantId: string
  passwordHash: string | null
  totpSealed: Buffer | null
  totpLastStep: bigint | null
}

/** A new session for whoever knows the password, and the code where one is asked for. */
export async function signIn(
  people: People,
  { email, password, code }: Login,
  caller: Caller,
): Promise<{ token: string }> {
  const { db, passwords } = people
  const attempt = { email: email.trim(), ip: caller.ip }
  await countAttempt(people, attempt)
  const person = await findByEmail(people, attempt.email)
  const isRight = await passwords.verify(password, person?.passwordHash)
  if (!person || !isRight) throw new AppError('INVALID_LOGIN')
  return await transaction(db, async (tx) => {
    // What was verified must still hold: a new password or an end may have come meanwhile.
    const [same] = await tx`
      select 1 from people
      where id = ${person.id} and password_hash = ${person.passwordHash} and disabled_at is null
      for update`
    if (!same) throw new AppError('INVALID_LOGIN')
    if (person.totpSealed) await useCode(people, tx, person, code)
    await forgive(tx, attempt)
    return await beginSession(people, tx, person, caller)
  })
}

/** The session of somebody who has proved who they are. */
export async function beginSession(
  { sessions, ids }: People,
  tx: Tx,
  { id, merchantId }: { id: string; merchantId: string },
  caller: Caller,
): Promise<{ token: string }> {
  const { token } = await sessions.begin(tx, id, caller)
  await audit(tx, ids, {
    ...{ actor: personActor(id), action: 'session.begin', subject: id, merchantId },
    detail: { ip: caller.ip },
  })
  return { token }
}

async function findByEmail({ db }: People, email: string): Promise<PersonRow | undefined> {
  const [person] = await db<PersonRow[]>`
    select id, merchant_id as "merchantId", password_hash as "passwordHash",
      totp_sealed as "totpSealed", totp_last_step as "totpLastStep"
    from people
    where lower(email) = lower(${email}) and disabled_at is null and password_hash is not null`
  return person
}

async function useCode(
  { seal, clock }: People,
  tx: Tx,
  { id }: PersonRow,
  code: string | undefined,
): Promise<void> {
  if (code === undefined || code === '') throw new AppError('CODE_REQUIRED')
  // The row is locked, so one code cannot open two sessions at once.
  const [row] = await tx<Pick<PersonRow, 'totpSealed' | 'totpLastStep'>[]>`
    select totp_sealed as "totpSealed", totp_last_step as "totpLastStep" from people
    where id = ${id}`
  if (!row?.totpSealed) return
  const step = stepOfCode(seal, row.totpSealed, code, clock.now(), row.totpLastStep)
  if (step === undefined) {
    throw new AppError('CODE_REQUIRED', {
      message: 'The code is wrong, or it was used already: wait for the next one.',
    })
  }
  await tx`update people set totp_last_step = ${step} where id = ${id}`
}
