import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosMerchant } from './merchants.ts'
import type { Random } from './random.ts'
import type { Violation } from './violation.ts'

export type Asked = { method: 'GET' | 'POST'; path: string; body?: object; key?: string }
export type Body = Record<string, unknown> & { data?: Record<string, unknown>; errorCode?: string }
export type Answer = { status: number; body: Body }

/** Sends requests to whichever process of the API, and repeats them where no answer came. */
export type Caller = {
  counts: { requests: number; cut: number; repeats: number }
  /** Answers by status and code. */
  statuses: Record<string, number>
  /** One try: its answer, or none where the connection was lost. */
  once(merchant: number, asked: Asked): Promise<Answer | undefined>
  /** Tries until there is an answer about the request itself, or too many had none. */
  ask(merchant: number, asked: Asked): Promise<Answer | undefined>
}

export type CallerOptions = {
  random: Random
  merchants: readonly ChaosMerchant[]
  urls: readonly string[]
  /** When it comes, nobody waits for an answer any more. */
  signal: AbortSignal
  onViolation(violation: Violation): void
}

const answerLimitMs = 8000
const againMs = [100, 200, 400, 800]
const maxTries = 12
const loginPath = '/auth/generate-bearer-token'

export function createCaller(options: CallerOptions): Caller {
  const { random, merchants, urls, signal, onViolation } = options
  const counts = { requests: 0, cut: 0, repeats: 0 }
  const statuses: Record<string, number> = {}
  const tokens = new Map<number, string>()

  async function fetchOnce(asked: Asked, headers: Record<string, string>): Promise<Answer> {
    const { method, path, body, key } = asked
    if (key) headers['idempotency-key'] = key
    if (body) headers['content-type'] = 'application/json'
    const response = await fetch(`${random.pick(urls)}/api/b2b${path}`, {
      ...{ method, headers, body: body ? JSON.stringify(body) : null },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerLimitMs)]),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  async function attempt(
    asked: Asked,
    headers: Record<string, string>,
  ): Promise<Answer | undefined> {
    counts.requests++
    const answer = await fetchOnce(asked, headers).catch(() => undefined)
    if (answer === undefined) {
      counts.cut++
      return undefined
    }
    const { status } = answer
    const name = status < 300 ? String(status) : `${status} ${answer.body.errorCode}`
    statuses[name] = (statuses[name] ?? 0) + 1
    // Whatever breaks behind it, the service is there, away for a moment, or has an objection.
    if (status === 401 || (status >= 500 && status !== 503)) {
      const about = `${asked.method} ${asked.path}`
      onViolation({ kind: 'an answer that must not be', about, detail: { asked, answer } })
    }
    return answer
  }
  async function once(merchant: number, asked: Asked): Promise<Answer | undefined> {
    const { publicKey, apiKey } = merchants[merchant]!
    if (!tokens.has(merchant)) {
      const login = { method: 'POST', path: loginPath, body: { publicKey } } as const
      const answer = await attempt(login, { 'api-key': apiKey })
      if (answer?.status !== 200) return undefined
      tokens.set(merchant, String(answer.body.token))
    }
    return await attempt(asked, { authorization: `Bearer ${tokens.get(merchant)}` })
  }
  async function ask(merchant: number, asked: Asked): Promise<Answer | undefined> {
    for (let tries = 0; tries < maxTries && !signal.aborted; tries++) {
      if (tries > 0) counts.repeats++
      const answer = await once(merchant, asked)
      if (answer && answer.status < 500) return answer
      await delay(againMs[Math.min(tries, againMs.length - 1)]!)
    }
    return undefined
  }
  return { counts, statuses, once, ask }
}
