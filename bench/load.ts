import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/**
 * Sends requests for a while, in a process of its own, and prints what it saw. The plan comes in a
 * file: `{url, connections, seconds, perSecond?, requests: [{method, path, token, body?}]}`; the
 * text `$N` in a body is replaced by a number that never comes twice.
 */
type Plan = {
  url: string
  connections: number
  seconds: number
  /** A fixed pace; absent: as fast as it goes. */
  perSecond?: number
  requests: { method: 'GET' | 'POST'; path: string; token: string; body?: string }[]
}

const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Plan
const pool = new Pool(plan.url, { connections: plan.connections, pipelining: 1 })
const latenciesMs: number[] = []
const seed = `${process.pid}-${Date.now()}`
let turn = 0
let failed = 0
let firstFailure = ''

async function send(): Promise<void> {
  const n = turn++
  const { method, path, token, body } = plan.requests[n % plan.requests.length]!
  const startMs = performance.now()
  const response = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : body.replace('$N', `${seed}-${n}`),
  })
  const text = await response.body.text()
  if (response.statusCode !== 200) {
    failed++
    firstFailure ||= `${response.statusCode} ${text.slice(0, 200)}`
  }
  latenciesMs.push(performance.now() - startMs)
}

const startMs = performance.now()
const endMs = startMs + plan.seconds * 1000
const pauseMs = plan.perSecond ? (plan.connections * 1000) / plan.perSecond : 0

async function client(index: number): Promise<void> {
  let nextMs = startMs + (pauseMs * index) / plan.connections
  while (performance.now() < endMs) {
    if (pauseMs > 0) {
      const waitMs = nextMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      nextMs += pauseMs
    }
    await send()
  }
}

await Promise.all(Array.from({ length: plan.connections }, (_, index) => client(index)))
const seconds = (performance.now() - startMs) / 1000
latenciesMs.sort((a, b) => a - b)
const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
process.stdout.write(
  JSON.stringify({
    perSecond: (latenciesMs.length - failed) / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failed,
    firstFailure,
  }),
)
await pool.close()
