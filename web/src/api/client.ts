/** One call to the service: the answer's data, or an ApiError that says what to do. */

export type Environment = 'sandbox' | 'live'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Params = Record<string, string | number | boolean | undefined | null>

/** A page of a list; next is the cursor of the following one. */
export type Page<Row> = { data: Row[]; next: string | null }

/** A refusal of the service, in its own words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Nothing answered: no network, or the service is not running. */
export const unreachable = 'UNREACHABLE'

const timeoutMs = 30_000

// Comes with the session and goes with every request that changes something.
const secret = { csrf: '' }

export function rememberCsrf(csrf: string): void {
  secret.csrf = csrf
}

/** The whole answer as the service sent it, for lists and for public operations. */
export async function request<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method !== 'GET') headers['x-csrf-token'] = secret.csrf
  if (body !== undefined) headers['content-type'] = 'application/json'
  const limit = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, unreachable, 'The service does not answer. Check that it is running.')
  }
  if (response.ok) return (await response.json()) as Answer
  throw await readRefusal(response)
}

async function readRefusal(response: Response): Promise<ApiError> {
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const told = (await response.json().catch(() => ({}))) as { errorCode?: string; message?: string }
  return new ApiError(
    response.status,
    told.errorCode ?? 'UNKNOWN',
    told.message ?? `The service answered with status ${response.status}.`,
    Number.isFinite(after) ? after : undefined,
  )
}

/** The data of an answer. */
export async function call<Data>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Data> {
  const answer = await request<{ data: Data }>(method, path, body, signal)
  return answer.data
}

/** A path with its query; what is empty is left out. */
export function withParams(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** An operation of the dashboard about the account of this environment. */
export const viewPath = (environment: Environment, path: string): string =>
  `/dashboard/${environment}${path}`

/** A public operation of the API, called with the session. */
export const publicPath = (environment: Environment, path: string): string =>
  `/dashboard/${environment}/b2b${path}`
