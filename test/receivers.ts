import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { CreatedMerchant } from '../src/merchants/create-merchant.ts'
import {
  type Answer,
  type Ending,
  keysOf,
  makeMerchant,
  putWebhooks,
  type TestNode,
  tokenFor,
} from './app-harness.ts'

export type Received = { headers: Record<string, string>; body: string; atMs: number }

export type Receiver = {
  url: string
  /** What arrived, in its order. */
  received: Received[]
  /** The ids of what arrived, in its order. */
  ids(): string[]
}

type Behave = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** Somebody's server. It says 200 unless it is told to behave in another way. */
export async function startReceiver(
  t: Ending,
  behave: Behave = (_request, response) => void response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      received.push({ headers, body, atMs: Date.now() })
      behave(request, response, received.length)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    ids: () => received.map(({ headers }) => headers['webhook-id']!),
  }
}

/** What a receiver that follows Standard Webhooks makes of a message; it throws at a wrong one. */
export function verify(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>) {
  return new Webhook(secret).verify(body, headers) as {
    event: string
    timestamp: string
    data: Record<string, unknown> & { transactionId: string; sequence: number }
  }
}

export const deliverySettings = {
  MALIPO_LOOPBACK_WEBHOOKS: 'on',
  MALIPO_WEBHOOK_TIMEOUT_MS: '1000',
}

export type WebhookShop = CreatedMerchant['sandbox'] & {
  merchant: CreatedMerchant
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  setUrl(url: string | null): Promise<Answer>
  /** The record of an event, as its merchant reads it. */
  record(id: string): Promise<ShownWebhook>
}

export type ShownWebhook = {
  id: string
  createdAt: string
  event: string
  data: Record<string, unknown>
  response: { status: string; body: string }
  webhookUrl: string
  status: string
}

/** A merchant whose sandbox events go to a URL. */
export async function openWebhookShop(node: TestNode, url?: string): Promise<WebhookShop> {
  const merchant = await makeMerchant(node.db)
  const { sandbox } = merchant
  const token = await tokenFor(node, keysOf(sandbox))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const get = (path: string) =>
    node.send({
      method: 'GET',
      url: `/api/b2b${path}`,
      headers: { authorization: headers.authorization },
    })
  const post = (path: string, body?: unknown) =>
    node.send({
      ...{ method: 'POST', url: `/api/b2b${path}` },
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
  const setUrl = (sandboxWebhookUrl: string | null) =>
    node.send(putWebhooks(token, { sandboxWebhookUrl }))
  if (url !== undefined) await setUrl(url)
  return {
    ...{ ...sandbox, merchant, get, post, setUrl },
    record: async (id) => (await get(`/webhook/${id}`)).body.data as ShownWebhook,
  }
}
