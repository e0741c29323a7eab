import { Agent, type Dispatcher } from 'undici'
import type { Environment } from '../environment.ts'
import { AddressRefused, guardedConnector } from './addresses.ts'
import type { Reply } from './delivery.ts'
import { maxAnswerLength } from './results.ts'

export type Post = {
  environment: Environment
  origin: string
  path: string
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
  const running = new Set<Exchange>()

  return {
    post({ environment, ...request }) {
      const exchange = createExchange(timeoutMs, () => running.delete(exchange))
      running.add(exchange)
      agents[environment].dispatch({ ...request, method: 'POST' }, exchange.handler)
      return exchange.reply
    },
    async stop() {
      for (const exchange of [...running]) exchange.stop()
      await Promise.all([agents.sandbox.destroy(), agents.live.destroy()])
    },
  }
}

type Exchange = {
  handler: Dispatcher.DispatchHandler
  reply: Promise<Reply | undefined>
  stop(): void
}

/** One request and its answer, which is listened to no longer than it is needed. */
function createExchange(timeoutMs: number, onEnd: () => void): Exchange {
  const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
  const chunks: Buffer[] = []
  let size = 0
  let head: Omit<Reply, 'text'> | undefined
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false

  function end(reply: Reply | undefined): void {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    onEnd()
    resolve(reply)
  }
  /** It is over, whatever the other side still does: the connection is not used again. */
  function breakOff(reply: Reply | undefined): void {
    end(reply)
    controller?.abort(new Error('broken off'))
  }
  const whole = (): Reply => ({ ...head!, text: readable(chunks) })
  const timer = setTimeout(() => breakOff(tooLate(timeoutMs)), timeoutMs)

  return {
    reply: promise,
    stop: () => breakOff(undefined),
    handler: {
      onRequestStart(given) {
        controller = given
        if (isOver) given.abort(new Error('broken off'))
      },
      onResponseStart(_controller, statusCode, headers) {
        head = headOf(statusCode, headers['retry-after'])
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk.subarray(0, maxAnswerBytes - size))
        size += chunk.length
        // Of a long answer the rest is not waited for.
        if (size >= maxAnswerBytes) breakOff(whole())
      },
      onResponseEnd: () => end(whole()),
      onResponseError: (_controller, error) => end(failureOf(error)),
    },
  }
}

function headOf(statusCode: number, retryAfter: string | string[] | undefined) {
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: String(statusCode),
    isFit: statusCode !== 429 && statusCode !== 503,
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
  }
}

function readable(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const text = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '')
  return text.slice(0, maxAnswerLength).toWellFormed()
}

const fail = (status: string, text: string): Reply => ({ ok: false, status, text, isFit: false })
const tooLate = (timeoutMs: number) =>
  fail('timeout', `There was no answer within ${timeoutMs / 1000} seconds.`)

/** Our own words: what the system says would tell about the network behind us. */
function failureOf(error: unknown): Reply {
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
