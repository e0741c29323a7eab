import { createHmac } from 'node:crypto'
import { unixSeconds } from '../clock.ts'
import { readVersion } from '../version.ts'

const agentName = `Malipo/${readVersion()}`
const prefix = 'whsec_'

/** The bytes of a secret as people are shown it. */
export function secretKey(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

/**
 * The headers of Standard Webhooks, with one signature for each secret that is valid now. Their
 * own package hashes in plain JavaScript, which is much slower; the tests verify with it.
 */
export function signedHeaders(
  keys: readonly Buffer[],
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
