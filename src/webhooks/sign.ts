import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { unixSeconds } from '../clock.ts'
import { readVersion } from '../version.ts'

const agentName = `Malipo/${readVersion()}`
const prefix = 'whsec_'

/** The key in a secret as people are shown it, made ready once for many signatures. */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/**
 * The headers of Standard Webhooks, with one signature for each secret that is valid now. Their
 * own package hashes in plain JavaScript, which is much slower; the tests verify with it.
 */
export function signedHeaders(
  keys: readonly KeyObject[],
  id: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(unixSeconds(nowMs))
  const content = `${id}.${timestamp}.${body}`
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
  )
  return {
    'content-type': 'application/json',
    'user-agent': agentName,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
