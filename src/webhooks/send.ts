import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { Environment } from '../environment.ts'
import { AddressRefused, guardedConnector } from './addresses.ts'
import type { Reply } from './delivery.ts'
import { maxAnswerLength } from './results.ts'

export type Post = {
  environment: Environment
  url: string
  headers: Record<string, string>
  body: string
}

/** Posts over connections that are kept open, one pool for each receiver. */
export type Sender = {
  /** Nothing comes back where the sender was stopped before the receiver answered. */
  post(post: Post): Promise<Reply | undefined>
  /** Breaks off what is on its way. */
  stop(): Promise<void>
}

export type SenderOptions = {
  timeoutMs: number
  connectionsPerReceiver: number
  /** Whether sandbox events may go to this machine. */
  loopbackSandbox: boolean
  connector?: typeof guardedConnector
}

const maxAnswerBytes = 2048
const keepAliveMs = 10_000
const maxKeepAliveMs = 60_000

export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, connectionsPerReceiver, loopbackSandbox } = options
  const connector = options.connector ?? guardedConnector
  // A dispatcher of our own asks no proxy of the environment, and follows no redirect.
  const agent = (allowLoopback: boolean) =>
    new Agent({
      connections: connectionsPerReceiver,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: maxKeepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connector({ allowLoopback }),
    })
  const agents = { sandbox: agent(loopbackSandbox), live: agent(false) }
  const running = new Set<AbortController>()
  let stopped = false

  async function post({ environment, url, headers, body }: Post): Promise<Reply | undefined> {
    const abort = new AbortController()
    running.add(abort)
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    try {
      const { origin, pathname, search } = new URL(url)
      const response = await agents[environment].request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal: abort.signal,
      })
      return replyOf(response, await startOf(response.body))
    } catch (error) {
      if (stopped) return undefined
      return failureOf(error, abort.signal.aborted, timeoutMs)
    } finally {
      clearTimeout(timer)
      running.delete(abort)
    }
  }

  return {
    post,
    async stop() {
      stopped = true
      for (const abort of running) abort.abort()
      await Promise.all([agents.sandbox.destroy(), agents.live.destroy()])
    },
  }
}

function replyOf({ statusCode, headers }: Dispatcher.ResponseData, text: string): Reply {
  const retryAfter = headers['retry-after']
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: String(statusCode),
    text,
    isFit: statusCode !== 429 && statusCode !== 503,
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
  }
}

/** The first characters of an answer. Of a long one the rest is not waited for. */
function startOf(body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = () => resolve(readable(Buffer.concat(chunks)))
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, maxAnswerBytes - size))
      size += chunk.length
      if (size < maxAnswerBytes) return
      finish()
      body.destroy()
    })
    body.on('end', finish)
    body.on('error', reject)
  })
}

function readable(bytes: Buffer): string {
  if (bytes.length === 0) return ''
  return bytes.toString('utf8').replaceAll('\0', '').slice(0, maxAnswerLength).toWellFormed()
}

/** Our own words: what the system says would tell about the network behind us. */
function failureOf(error: unknown, timedOut: boolean, timeoutMs: number): Reply {
  const fail = (status: string, text: string): Reply => ({ ok: false, status, text, isFit: false })
  if (timedOut) return fail('timeout', `There was no answer within ${timeoutMs / 1000} seconds.`)
  if (error instanceof AddressRefused) return fail('refused', error.message)
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return fail(...(wordsFor[code] ?? (isCertificateFault(code) ? badCertificate : broken)))
}

const broken: [string, string] = ['broken', 'The connection ended before the answer was complete.']
const badCertificate: [string, string] = ['certificate', 'The certificate was not accepted.']
const noConnection: [string, string] = ['unreachable', 'No connection could be made.']
const unknownName: [string, string] = ['unreachable', 'The host name was not found.']

const wordsFor: Readonly<Record<string, [string, string]>> = {
  ECONNREFUSED: noConnection,
  EHOSTUNREACH: noConnection,
  ENETUNREACH: noConnection,
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
}

function isCertificateFault(code: string): boolean {
  return /CERT|SIGNATURE|^ERR_(TLS|SSL)/.test(code)
}
