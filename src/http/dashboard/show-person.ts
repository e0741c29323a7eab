import Type, { type Static } from 'typebox'
import type { Colleague } from '../../people/manage.ts'
import { type Role, roles } from '../../people/person.ts'

export const RoleName = Type.Unsafe<Role>({ type: 'string', enum: [...roles] })

export const PersonFields = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Type.String(),
  totp: Type.Boolean(),
  lastSeenAt: Type.Union([Type.String(), Type.Null()]),
  disabled: Type.Boolean(),
  invited: Type.Boolean(),
})

export function showPerson({
  lastSeenAt,
  merchantId: _,
  ...rest
}: Colleague): Static<typeof PersonFields> {
  return { ...rest, lastSeenAt: lastSeenAt?.toISOString() ?? null }
}

/** The page where an invitation is accepted. */
export const joinPath = (token: string): string => `/join/${token}`
