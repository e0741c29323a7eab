import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '../environment.ts'

/** The prefix tells the environment at a glance, and lets scanners find leaked keys. */
export function newPublicKey(environment: Environment): string {
  return `pk_${environment}_${randomBytes(18).toString('base64url')}`
}

export function newApiKey(environment: Environment): string {
  return `sk_${environment}_${randomBytes(32).toString('base64url')}`
}

export function hashApiKey(apiKey: string): Buffer {
  return createHash('sha256').update(apiKey).digest()
}

/** In the form receivers of Standard Webhooks expect. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
