import type { Socket } from 'node:net'

/**
 * HTTP as far as the two ends of a measurement need it: one message after the other, each with its
 * length. What a client and a receiver cost is taken from the service that shares the machine with
 * them, and a whole HTTP library on both sides would cost more than the service itself.
 */
export type Message = { head: string; body: string }

const headEnd = '\r\n\r\n'
const lengthHeader = '\r\ncontent-length: '

export function onMessage(socket: Socket, receive: (message: Message) => void): void {
  let kept: Buffer | undefined
  socket.on('data', (chunk: Buffer) => {
    kept = kept ? Buffer.concat([kept, chunk]) : chunk
    const message = messageIn(kept)
    if (!message) return
    kept = undefined
    receive(message)
  })
}

/** The message in these bytes, where they hold a whole one. The next comes after its answer. */
function messageIn(bytes: Buffer): Message | undefined {
  const headLength = bytes.indexOf(headEnd)
  if (headLength < 0) return undefined
  const head = bytes.toString('latin1', 0, headLength)
  const at = head.indexOf(lengthHeader)
  if (at < 0) throw new Error(`a message does not say how long it is: ${head}`)
  const start = headLength + headEnd.length
  const end = start + Number.parseInt(head.slice(at + lengthHeader.length), 10)
  return bytes.length < end ? undefined : { head, body: bytes.toString('utf8', start, end) }
}
