import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire. */
export type WireAnswer = {
  status: number
  headers: [name: string, value: string][]
  body: Buffer
  /** What came after it, though nobody had asked for more. */
  rest: number
}

/** A request that got no answer: the service hung up, or let the caller wait. */
export type Silence = 'hung up' | 'no answer in time'

export type Connection = {
  ask(bytes: Buffer, how: Asking): Promise<WireAnswer | Silence>
  isOpen(): boolean
  close(): void
}

export type Asking = {
  /** Tells the service that nothing more will come. */
  ends: boolean
  /** The answer to a HEAD has no body, whatever its length says. */
  isHead: boolean
}

const limitMs = 20_000

/** A connection that can be made to say anything, unlike those of a client that knows the rules. */
export function openConnection(port: number): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received = Buffer.alloc(0)
  let isOpen = true
  let look = () => {}
  const close = () => {
    isOpen = false
    socket.destroy()
  }
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    look()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isOpen = false
    look()
  })
  socket.on('end', () => {
    isOpen = false
    look()
  })
  return {
    isOpen: () => isOpen,
    close,
    async ask(bytes, { ends, isHead }) {
      received = Buffer.alloc(0)
      const answer = await new Promise<WireAnswer | Silence>((resolve) => {
        const timer = setTimeout(resolve, limitMs, 'no answer in time')
        const finish = (result: WireAnswer | Silence) => {
          clearTimeout(timer)
          look = () => {}
          resolve(result)
        }
        look = () => {
          const found = readAnswer(received, isHead, !isOpen)
          if (found) finish(found)
          else if (!isOpen) finish('hung up')
        }
        send(socket, bytes, ends)
        if (!isOpen) look()
      })
      if (typeof answer !== 'string' && closes(answer)) close()
      return answer
    },
  }
}

function send(socket: Socket, bytes: Buffer, ends: boolean): void {
  if (ends) socket.end(bytes)
  else socket.write(bytes)
}

export function headerOf({ headers }: WireAnswer, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}

function closes(answer: WireAnswer): boolean {
  return /close/i.test(headerOf(answer, 'connection') ?? '')
}

/** The whole answer, or nothing while some of it is missing. Interim answers are passed over. */
export function readAnswer(
  bytes: Buffer,
  isHead: boolean,
  isOver: boolean,
): WireAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0)
  const after = bytes.subarray(end + 4)
  if (status >= 100 && status < 200) return readAnswer(after, isHead, isOver)
  const headers = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    return [name.toLowerCase(), value]
  })
  const answer = { status, headers, body: Buffer.alloc(0), rest: 0 }
  // A stream of events has no end: its head is the answer.
  const isStream = /event-stream/.test(headerOf(answer, 'content-type') ?? '')
  if (isHead || isStream || status === 304 || status === 204) return answer
  const read = bodyOf(answer, after, isOver)
  return read && { ...answer, body: read.body, rest: after.length - read.taken }
}

function bodyOf(
  answer: WireAnswer,
  after: Buffer,
  isOver: boolean,
): { body: Buffer; taken: number } | undefined {
  if (/chunked/i.test(headerOf(answer, 'transfer-encoding') ?? '')) return joinChunks(after)
  const length = headerOf(answer, 'content-length')
  if (length === undefined) return isOver ? { body: after, taken: after.length } : undefined
  const size = Number(length)
  return after.length >= size ? { body: after.subarray(0, size), taken: size } : undefined
}

function joinChunks(bytes: Buffer): { body: Buffer; taken: number } | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (Number.isNaN(size)) return { body: Buffer.from('chunks without a size'), taken: 0 }
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(parts), taken: next }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}
