import { announceChange } from '../db/changes.ts'
import { isUniqueViolation } from '../db/faults.ts'
import type { Sql, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError, validationError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import { audit } from '../merchants/audit.ts'
import type { People } from './people.ts'
import type { Role, SignedIn } from './person.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { endSessionsOf } from './sessions.ts'

/** A person as their colleagues see them. */
export type Colleague = {
  id: string
  merchantId: string
  email: string
  name: string
  role: Role
  totp: boolean
  lastSeenAt: Date | null
  disabled: boolean
  /** Has not joined yet. */
  invited: boolean
}

/** Who does it, and for which merchant. */
export type Doing = { actor: string; merchantId: string }
export type NewPerson = { email: string; name: string; role: Role }

type Parts = Pick<People, 'db' | 'clock' | 'ids'>

export const maxPeoplePerMerchant = 200
export const invitationLimitMs = 7 * 24 * 3_600_000
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const maxEmailLength = 254
const maxNameLength = 100

/** Those of one merchant, or all. */
export function listPeople(sql: Sql, merchantId: string | null, limit: number) {
  return sql<Colleague[]>`
    select ${columns(sql)} from people
    where ${merchantId}::uuid is null or merchant_id = ${merchantId}::uuid
    order by id limit ${limit}`
}

const columns = (sql: Sql) => sql`
  id, merchant_id as "merchantId", email, name, role, totp_sealed is not null as totp,
  last_seen_at as "lastSeenAt", disabled_at is not null as disabled,
  password_hash is null as invited`

/** A new person, who joins with the token. */
export async function invitePerson(
  { db, clock, ids }: Parts,
  { actor, merchantId }: Doing,
  { email, name, role }: NewPerson,
): Promise<{ id: string; token: string }> {
  const id = ids.next(0)
  const given = { email: checkedEmail(email), name: checkedName(name) }
  try {
    return await transaction(db, async (tx) => {
      await lockMerchant(tx, merchantId)
      await assertRoom(tx, merchantId)
      await tx`
        insert into people (id, merchant_id, email, name, role)
        values (${id}, ${merchantId}, ${given.email}, ${given.name}, ${role})`
      const token = await writeInvitation(tx, id, clock.now())
      const detail = { email: given.email, role }
      await audit(tx, ids, { actor, action: 'person.invite', subject: id, merchantId, detail })
      return { id, token }
    })
  } catch (error) {
    if (isUniqueViolation(error, 'people_by_email')) throw new AppError('EMAIL_TAKEN')
    throw error
  }
}

/** A new way in for somebody who has not joined, or cannot sign in any more. The old one ends. */
export function inviteAgain(
  { db, clock, ids }: Parts,
  { actor, merchantId }: Doing,
  personId: string,
): Promise<{ token: string }> {
  return transaction(db, async (tx) => {
    const { id, disabled } = await findColleague(tx, merchantId, personId)
    if (disabled) throw validationError('the person is disabled; enable them first.')
    const token = await writeInvitation(tx, id, clock.now())
    await audit(tx, ids, { actor, action: 'person.invite_again', subject: id, merchantId })
    return { token }
  })
}

async function writeInvitation(tx: Tx, id: string, nowMs: number): Promise<string> {
  const token = newSecret()
  await tx`
    update people set invitation_hash = ${hashSecret(token)},
      invitation_ends_at = ${new Date(nowMs + invitationLimitMs)}
    where id = ${id}`
  return token
}

/** Another role, or an end, or a return. It reaches every node with the commit. */
export function changePerson(
  { db, ids }: Pick<Parts, 'db' | 'ids'>,
  { actor, merchantId }: Doing,
  personId: string,
  change: { role?: Role; disabled?: boolean },
): Promise<Colleague> {
  return transaction(db, async (tx) => {
    // Two owners who demote each other at the same time must not both succeed.
    await lockMerchant(tx, merchantId)
    const before = await findColleague(tx, merchantId, personId)
    const { role = before.role, disabled = before.disabled } = change
    if (role !== 'owner' || disabled) await assertOtherOwner(tx, before)
    await tx`
      update people set role = ${role},
        disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end,
        invitation_hash = case when ${disabled} then null else invitation_hash end,
        invitation_ends_at = case when ${disabled} then null else invitation_ends_at end
      where id = ${before.id}`
    if (disabled) await endSessionsOf(tx, before.id, null)
    else await announceChange(tx, `person:${before.id}`)
    const detail = { role, disabled }
    await audit(tx, ids, { actor, action: 'person.change', subject: before.id, merchantId, detail })
    return await findColleague(tx, merchantId, before.id)
  })
}

/** What a person may change about themselves. */
export async function changeProfile(
  { db, ids }: Pick<Parts, 'db' | 'ids'>,
  { actor, merchantId, personId }: Doing & Pick<SignedIn, 'personId'>,
  { name, timeZone }: { name?: string; timeZone?: string },
): Promise<void> {
  const newName = name === undefined ? null : checkedName(name)
  if (timeZone !== undefined) assertTimeZone(timeZone)
  await transaction(db, async (tx) => {
    await tx`
      update people set name = coalesce(${newName}, name),
        time_zone = coalesce(${timeZone ?? null}, time_zone)
      where id = ${personId}`
    await announceChange(tx, `person:${personId}`)
    await audit(tx, ids, { actor, action: 'person.profile', subject: personId, merchantId })
  })
}

export async function findColleague(
  sql: Sql,
  merchantId: string,
  personId: string,
): Promise<Colleague> {
  const [found] =
    slotOf(personId) === undefined
      ? []
      : await sql<Colleague[]>`
          select ${columns(sql)} from people
          where id = ${personId} and merchant_id = ${merchantId}`
  if (found) return found
  throw new AppError('PERSON_NOT_FOUND')
}

/** By id or email, whichever merchant they belong to. */
export async function findPerson(sql: Sql, idOrEmail: string): Promise<Colleague | undefined> {
  const [found] = await sql<Colleague[]>`
    select ${columns(sql)} from people
    where ${
      slotOf(idOrEmail) === undefined
        ? sql`lower(email) = lower(${idOrEmail})`
        : sql`id = ${idOrEmail}`
    }`
  return found
}

async function lockMerchant(tx: Tx, merchantId: string): Promise<void> {
  await tx`select 1 from merchants where id = ${merchantId} for no key update`
}

async function assertRoom(tx: Tx, merchantId: string): Promise<void> {
  const [count] = await tx<{ people: number }[]>`
    select count(*)::int as people from people where merchant_id = ${merchantId}`
  if (count!.people < maxPeoplePerMerchant) return
  throw validationError(`a merchant has at most ${maxPeoplePerMerchant} people.`)
}

/** An owner who has not joined cannot do anything yet, so they do not count. */
async function assertOtherOwner(tx: Tx, { id, merchantId, role }: Colleague): Promise<void> {
  if (role !== 'owner') return
  const [other] = await tx`
    select 1 from people
    where merchant_id = ${merchantId} and id <> ${id} and role = 'owner'
      and disabled_at is null and password_hash is not null
    limit 1`
  if (!other) throw new AppError('LAST_OWNER')
}

export function checkedEmail(text: string): string {
  const email = text.trim()
  if (email.length <= maxEmailLength && emailShape.test(email)) return email
  throw validationError('email is not an e-mail address.')
}

export function checkedName(text: string): string {
  const name = text.trim()
  if (name.length >= 1 && name.length <= maxNameLength) return name
  throw validationError(`name has 1 to ${maxNameLength} characters.`)
}

export function assertTimeZone(text: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
  } catch {
    throw validationError('timeZone is not a time zone such as Africa/Nairobi.')
  }
}
