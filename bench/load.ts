import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { onMessage } from './messages.ts'
import type { LoadPlan, LoadResult } from './world.ts'

/**
 * Sends requests for a while, in a process of its own, and prints what it saw. The plan comes in a
 * file; the text `$N` in a body is replaced by a number that never comes twice.
 */
const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as LoadPlan
const { hostname, port, host } = new URL(plan.url)
const latenciesMs: number[] = []
const seed = `${process.pid}-${Date.now()}`
let turn = 0
let failed = 0
let firstFailure = ''

const requests = plan.requests.map(({ method, path, token, body }) => {
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n` +
    'content-type: application/json\r\n'
  if (body === undefined) return () => `${head}\r\n`
  return (n: number) => {
    const text = body.replace('$N', `${seed}-${n}`)
    return `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
})

type Answer = { status: string; text: string }
type Connection = { send(request: string): Promise<Answer>; end(): void }

const statusAt = 'HTTP/1.1 '.length

function open(): Connection {
  const socket: Socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  let waiting: PromiseWithResolvers<Answer> | undefined
  onMessage(socket, ({ head, body }) => {
    waiting!.resolve({ status: head.slice(statusAt, statusAt + 3), text: body })
  })
  const fail = (reason: string) => waiting?.reject(new Error(`the connection ${reason}`))
  socket.on('error', ({ message }) => fail(`failed: ${message}`))
  socket.on('close', () => fail('was closed'))
  return {
    send(request) {
      waiting = Promise.withResolvers()
      socket.write(request, 'latin1', (error) => error && fail(`failed: ${error.message}`))
      return waiting.promise
    },
    end: () => socket.end(),
  }
}

/** A process that has just begun is slow itself: what it sees then does not count. */
const warmUpMs = Math.min(500, plan.seconds * 500)
const beganMs = performance.now()
const startMs = beganMs + warmUpMs
const endMs = startMs + plan.seconds * 1000
const pauseMs = plan.perSecond ? (plan.connections * 1000) / plan.perSecond : 0

async function client(index: number): Promise<void> {
  const connection = open()
  let nextMs = beganMs + (pauseMs * index) / plan.connections
  while (performance.now() < endMs) {
    if (pauseMs > 0) {
      const waitMs = nextMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      nextMs += pauseMs
    }
    const n = turn++
    const sentMs = performance.now()
    const { status, text } = await connection.send(requests[n % requests.length]!(n))
    const doneMs = performance.now()
    if (sentMs >= startMs) latenciesMs.push(doneMs - sentMs)
    if (status === '200') continue
    failed++
    firstFailure ||= `${status} ${text.slice(0, 200)}`
  }
  connection.end()
}

await Promise.all(Array.from({ length: plan.connections }, (_, index) => client(index)))
const seconds = (performance.now() - startMs) / 1000
latenciesMs.sort((a, b) => a - b)
const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
const result: LoadResult = {
  perSecond: (latenciesMs.length - failed) / seconds,
  ...{ p50Ms: at(0.5), p99Ms: at(0.99), failed, firstFailure },
}
process.stdout.write(JSON.stringify(result))
