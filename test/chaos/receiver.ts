import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { verify } from '../receivers.ts'
import type { Random } from './random.ts'

/** A message as its receiver knows it, in the order of arrival. */
export type Message = {
  merchant: number
  id: string
  transactionId: string
  sequence: number
  status: string
  /** A print of the bytes: the same message has the same. */
  digest: string
  /** Whether it was answered with 200. */
  isTaken: boolean
}

export type Receiver = {
  urlOf(merchant: number): string
  /** The secrets it verifies with, by merchant. */
  secrets: string[]
  messages: Message[]
  /** What was not signed as it must be. */
  forged: { merchant: number; body: string; reason: string }[]
  /** From now on it answers everything. */
  calm(): void
  close(): Promise<void>
}

/** Of a hundred messages so many are refused, cut off, and left without an answer. */
const misbehaviour = { refuse: 0.04, cut: 0.02, ignore: 0.01 }
const ignoreMs = 1500

/** The servers of all merchants. They verify, write down, and do not always behave. */
export async function startReceiver(random: Random): Promise<Receiver> {
  const secrets: string[] = []
  const messages: Message[] = []
  const forged: Receiver['forged'] = []
  let isCalm = false

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const merchant = Number(request.url?.split('/').at(-1))
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    try {
      const { data } = verify(secrets[merchant]!, { body, headers })
      const isTaken = behave(response)
      messages.push({
        ...{ merchant, id: headers['webhook-id']!, isTaken, status: String(data.status) },
        ...{ transactionId: data.transactionId, sequence: data.sequence },
        digest: createHash('sha256').update(body).digest('base64url'),
      })
    } catch (error) {
      forged.push({ merchant, body, reason: String(error) })
      response.writeHead(400).end()
    }
  }
  function behave(response: ServerResponse): boolean {
    const drawn = isCalm ? 1 : random.next()
    const { refuse, cut, ignore } = misbehaviour
    if (drawn < refuse) response.writeHead(500).end('later')
    else if (drawn < refuse + cut) response.destroy()
    else if (drawn < refuse + cut + ignore) setTimeout(() => response.destroy(), ignoreMs)
    else {
      response.end('ok')
      return true
    }
    return false
  }
  const server = createServer((request, response) => {
    // A sender that is killed while it speaks leaves half a message, which is none.
    receive(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ secrets, messages, forged },
    urlOf: (merchant) => `http://127.0.0.1:${port}/hooks/${merchant}`,
    calm() {
      isCalm = true
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
