import type { Role } from '../../api/session.ts'
import { roleStrings } from '../../strings/settings.ts'

export type Colleague = {
  id: string
  email: string
  name: string
  role: Role
  totp: boolean
  lastSeenAt: string | null
  disabled: boolean
  invited: boolean
}

export const roleChoices = (['owner', 'finance', 'developer', 'viewer'] as const).map((value) => ({
  value,
  label: `${roleStrings.names[value]}: ${roleStrings.hints[value]}`,
}))

/** An invitation comes as a path; people need the whole address. */
export const addressOf = (path: string): string => new URL(path, location.origin).href
