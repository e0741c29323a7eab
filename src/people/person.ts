/** People sign in to the dashboard; programs use credentials. */

export const roles = ['owner', 'finance', 'developer', 'viewer'] as const
export type Role = (typeof roles)[number]

/** Who a session belongs to. */
export type SignedIn = {
  personId: string
  sessionId: string
  merchantId: string
  email: string
  name: string
  role: Role
  timeZone: string
}
