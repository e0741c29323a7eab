import { Agent, type Dispatcher } from 'undici'
import type { Environment } from '../environment.ts'
import { AddressRefused, guardedConnector } from './addresses.ts'
import type { Reply } from './delivery.ts'
import { maxAnswerLength } from './results.ts'

export type Post = {
  method: 'POST'
  origin: string
  path: string
  headers: Record<string, string>
  body: string
}

/** Posts over connections that are kept open, one pool for each receiver. */
export type Sender = {
  /** Nothing comes back where the sender was stopped before the receiver answered. */
  post(environment: Environment, post: Post): Promise<Reply | undefined>
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
  let timer: NodeJS.Timeout | undefined

  /** All have the same time, so the oldest is the first that is late: one timer does for all. */
  function endLate(): void {
    timer = undefined
    const nowMs = performance.now()
    for (const exchange of running) {
      const leftMs = exchange.startedMs + timeoutMs - nowMs
      if (leftMs > 0) {
        timer = setTimeout(endLate, leftMs)
        return
      }
      exchange.breakOff(tooLate(timeoutMs))
    }
  }

  return {
    post(environment, request) {
      const exchange = new Exchange((ended) => running.delete(ended))
      running.add(exchange)
      timer ??= setTimeout(endLate, timeoutMs)
      agents[environment].dispatch(request, exchange)
      return exchange.reply
    },
    async stop() {
      for (const exchange of [...running]) exchange.breakOff(undefined)
      clearTimeout(timer)
      await Promise.all([agents.sandbox.destroy(), agents.live.destroy()])
    },
  }
}

/** One request and its answer, which is listened to no longer than it is needed. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedMs = performance.now()
  readonly reply: Promise<Reply | undefined>
  readonly #resolve: (reply: Reply | undefined) => void
  readonly #onEnd: (ended: Exchange) => void
  #chunks: Buffer[] | undefined
  #size = 0
  #head: Omit<Reply, 'text'> | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false

  constructor(onEnd: (ended: Exchange) => void) {
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
    this.reply = promise
    this.#resolve = resolve
    this.#onEnd = onEnd
  }

  /** It is over, whatever the other side still does: the connection is not used again. */
  breakOff(reply: Reply | undefined): void {
    this.#end(reply)
    this.#controller?.abort(new Error('broken off'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('broken off'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#head = headOf(statusCode, headers['retry-after'])
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks ??= []
    this.#chunks.push(chunk.subarray(0, maxAnswerBytes - this.#size))
    this.#size += chunk.length
    // Of a long answer the rest is not waited for.
    if (this.#size >= maxAnswerBytes) this.breakOff(this.#whole())
  }

  onResponseEnd(): void {
    this.#end(this.#whole())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(failureOf(error))
  }

  #whole(): Reply {
    return { ...this.#head!, text: readable(this.#chunks) }
  }

  #end(reply: Reply | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnd(this)
    this.#resolve(reply)
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

function readable(chunks: readonly Buffer[] | undefined): string {
  if (chunks === undefined) return ''
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
