import { createHash, createHmac, randomBytes } from 'node:crypto'

const tokenBytes = 32
export const secretShape = /^[\w-]{43}$/

/** For the cookie of a session and the link of an invitation. */
export function newSecret(): string {
  return randomBytes(tokenBytes).toString('base64url')
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Made from the token of the session, which no page can read, so it need not be stored. */
export function csrfOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url')
}
