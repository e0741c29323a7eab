import Type, { type Static } from 'typebox'
import { AppError } from '../../errors.ts'
import { roles, type SignedIn } from '../../people/person.ts'
import { csrfOf } from '../../people/secrets.ts'
import { readVersion } from '../../version.ts'
import type { Dependencies } from '../dependencies.ts'
import { environments } from './register-dashboard.ts'

export const SessionAnswer = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    person: Type.Object({
      id: Type.String(),
      email: Type.String(),
      name: Type.String(),
      role: Type.String({ enum: [...roles] }),
      timeZone: Type.String(),
      totp: Type.Boolean(),
    }),
    merchant: Type.Object({ id: Type.String(), name: Type.String() }),
    csrf: Type.String(),
    environments: Type.Array(Type.String()),
    version: Type.String(),
  }),
})

/** All that a page needs to know about who looks at it. */
export async function showSession(
  { db }: Pick<Dependencies, 'db'>,
  { personId }: Pick<SignedIn, 'personId'>,
  sessionToken: string,
): Promise<Static<typeof SessionAnswer>> {
  const [row] = await db<(Omit<SignedIn, 'sessionId'> & { totp: boolean; merchant: string })[]>`
    select p.id as "personId", p.merchant_id as "merchantId", p.email, p.name, p.role,
      p.time_zone as "timeZone", p.totp_sealed is not null as totp, m.name as merchant
    from people p join merchants m on m.id = p.merchant_id where p.id = ${personId}`
  if (!row) throw new AppError('UNAUTHORIZED', { message: 'Sign in first.' })
  const { email, name, role, timeZone, totp } = row
  return {
    success: true,
    data: {
      person: { id: personId, email, name, role, timeZone, totp },
      merchant: { id: row.merchantId, name: row.merchant },
      csrf: csrfOf(sessionToken),
      environments: [...environments],
      version: readVersion(),
    },
  }
}
