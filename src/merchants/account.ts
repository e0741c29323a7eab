import type { Environment } from '../environment.ts'

/** One side of a merchant: sandbox or live. Everything a caller sees belongs to one of these. */
export type Account = {
  id: string
  slot: number
  merchantId: string
  environment: Environment
  timeZone: string
  webhookUrl: string | null
}

export type Merchant = {
  id: string
  name: string
  firstName: string
  lastName: string
  email: string
  createdAt: Date
}

export const scopes = ['read', 'charges', 'payouts', 'beneficiaries', 'webhooks'] as const
export type Scope = (typeof scopes)[number]

export type Credential = {
  id: string
  accountId: string
  environment: Environment
  name: string
  publicKey: string
  scopes: Scope[]
  ipAllowList: string[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}
