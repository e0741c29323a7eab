import { Secret, TOTP } from 'otpauth'
import type { Seal } from '../seal.ts'

const purpose = 'totp secret'
const issuer = 'Malipo'
const secretBytes = 20
const periodSeconds = 30
/** One step on either side, for clocks that are a little off. */
const tolerance = 1

/** A new secret, sealed for the database and as an app on a phone takes it. */
export function newTotp(
  seal: Seal,
  email: string,
): { sealed: Buffer; secret: string; url: string } {
  const secret = new Secret({ size: secretBytes })
  return {
    sealed: seal.seal(secret.bytes, purpose),
    secret: secret.base32,
    url: totpOf(secret, email).toString(),
  }
}

/**
 * The time step the code belongs to, where it is right and of a later step than the last that was
 * used: a code that somebody looked at while it was typed opens nothing again.
 */
export function stepOfCode(
  seal: Seal,
  sealed: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: bigint | null,
): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  const totp = totpOf(secretFrom(seal.open(sealed, purpose)), '')
  const delta = totp.validate({ token, timestamp: nowMs, window: tolerance })
  if (delta === null) return undefined
  const step = totp.counter({ timestamp: nowMs }) + delta
  return lastStep !== null && BigInt(step) <= lastStep ? undefined : step
}

function secretFrom(bytes: Buffer): Secret {
  return Secret.fromHex(bytes.toString('hex'))
}

function totpOf(secret: Secret, label: string): TOTP {
  return new TOTP({ issuer, label, secret, period: periodSeconds, digits: 6, algorithm: 'SHA1' })
}
