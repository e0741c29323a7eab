import { unixSeconds } from '../clock.ts'
import { readVersion } from '../version.ts'
import type { Secret } from './endpoints.ts'

const agentName = `Malipo/${readVersion()}`

/** The headers of Standard Webhooks, with one signature for each secret that is valid now. */
export function signedHeaders(
  secrets: readonly Secret[],
  id: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const at = new Date(nowMs)
  return {
    'content-type': 'application/json',
    'user-agent': agentName,
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds(nowMs)),
    'webhook-signature': secrets.map(({ signer }) => signer.sign(id, at, body)).join(' '),
  }
}
