export const scopes = ['read', 'charges', 'payouts', 'beneficiaries', 'webhooks'] as const
export type Scope = (typeof scopes)[number]

export type Key = {
  id: string
  name: string
  publicKey: string
  scopes: Scope[]
  ipAllowList: string[]
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

/** With the secret, which is known here once. */
export type CreatedKey = { id: string; publicKey: string; apiKey: string }

export function stateOf({ revokedAt, expiresAt }: Key): 'active' | 'ending' | 'ended' {
  if (revokedAt !== null) return 'ended'
  if (expiresAt === null) return 'active'
  return Date.parse(expiresAt) > Date.now() ? 'ending' : 'ended'
}
