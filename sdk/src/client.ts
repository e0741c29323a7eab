import { MalipoError } from './malipo-error.ts'
import type { Profile } from './profile.ts'
import { type Fetch, isRecord, send } from './send.ts'
import { createTokenKeeper, type Token } from './token.ts'

export type ClientOptions = {
  /** Where the service is, without /api: https://payments.example.com */
  readonly baseUrl: string
  readonly publicKey: string
  /** Secret: it stays on a server. */
  readonly apiKey: string
  readonly timeoutMs?: number
  readonly fetch?: Fetch
  /** The time in milliseconds since 1970, for tests. */
  readonly now?: () => number
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type RequestOptions = {
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** The same key with the same request gives the first answer again and does nothing twice. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type Client = {
  readonly profile: () => Promise<Profile>
  /** Any endpoint, with its path from the root: request('GET', '/api/b2b/transactions'). */
  readonly request: <Answer = unknown>(
    method: Method,
    path: string,
    options?: RequestOptions,
  ) => Promise<Answer>
}

const defaultTimeoutMs = 30_000

export const createClient = (options: ClientOptions): Client => {
  const { publicKey, apiKey, timeoutMs = defaultTimeoutMs, now = Date.now } = options
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  const baseUrl = options.baseUrl.replace(/\/+$/, '')

  const exchangeToken = async (): Promise<Token> => {
    const url = `${baseUrl}/api/b2b/auth/generate-bearer-token`
    const headers = { 'api-key': apiKey }
    return tokenIn(
      await send({ method: 'POST', url, headers, body: { publicKey }, timeoutMs }, fetch),
    )
  }
  const tokens = createTokenKeeper(exchangeToken, now)

  const sendWith = (token: string, method: Method, path: string, options: RequestOptions) =>
    send(
      {
        method,
        url: baseUrl + path + queryText(options.query),
        headers: {
          authorization: `Bearer ${token}`,
          ...(options.idempotencyKey === undefined
            ? {}
            : { 'idempotency-key': options.idempotencyKey }),
        },
        body: options.body,
        timeoutMs,
        signal: options.signal,
      },
      fetch,
    )

  const request = async <Answer>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> => {
    if (!path.startsWith('/')) throw new TypeError(`The path has to start with "/": ${path}`)
    const token = await tokens.current()
    try {
      return (await sendWith(token, method, path, options)) as Answer
    } catch (error) {
      // A refused token means that nothing was done, so the same request may be sent again, once.
      if (!(error instanceof MalipoError) || error.status !== 401) throw error
      return (await sendWith(await tokens.replace(token), method, path, options)) as Answer
    }
  }

  return { request, profile: () => request<Profile>('GET', '/api/b2b/users') }
}

const tokenIn = (body: unknown): Token => {
  if (isRecord(body) && typeof body.token === 'string' && typeof body.expiresAt === 'number') {
    return { token: body.token, expiresAt: body.expiresAt }
  }
  const message = 'The answer holds no token: is baseUrl the address of a Malipo service?'
  throw new MalipoError({ status: 200, errorCode: 'INVALID_RESPONSE', message })
}

const queryText = (query: RequestOptions['query'] = {}): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}
