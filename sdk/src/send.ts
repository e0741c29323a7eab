import { MalipoError } from './malipo-error.ts'

export type Fetch = typeof globalThis.fetch

export type Outgoing = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Gives the body of a success. Throws a MalipoError, or the reason of a caller that gave up. */
export const send = async (outgoing: Outgoing, fetch: Fetch): Promise<unknown> => {
  const { response, text } = await exchange(outgoing, fetch)
  const requestId = response.headers.get('x-request-id') ?? undefined
  const body = parse(text)
  if (response.ok && body === undefined) {
    const message = 'The answer is not JSON: is baseUrl the address of a Malipo service?'
    throw new MalipoError({
      status: response.status,
      errorCode: 'INVALID_RESPONSE',
      message,
      requestId,
    })
  }
  const isRefused = !response.ok || (isRecord(body) && body.success === false)
  if (isRefused) throw new MalipoError({ ...refusalIn(body, response.status), requestId })
  return body
}

const exchange = async (
  { method, url, headers, body, timeoutMs, signal }: Outgoing,
  fetch: Fetch,
): Promise<{ response: Response; text: string }> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect could carry the keys to another host.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    return { response, text: await response.text() }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new MalipoError({
      status: 0,
      errorCode: timeout.aborted ? 'TIMEOUT' : 'NETWORK_ERROR',
      message: timeout.aborted
        ? `No answer to ${method} ${url} within ${timeoutMs} ms.`
        : `${method} ${url} could not be sent or its answer not received.`,
      cause,
    })
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Most refusals say {message, errorCode}. The list of countries says {error}, and the list of
 * transactions says nothing at all.
 */
const refusalIn = (
  body: unknown,
  status: number,
): { status: number; errorCode: string; message: string } => {
  const { message, error, errorCode } = isRecord(body) ? body : {}
  const said = [message, error].find((each) => typeof each === 'string' && each !== '')
  return {
    status,
    errorCode: typeof errorCode === 'string' ? errorCode : `HTTP_${status}`,
    message: typeof said === 'string' ? said : `Refused with status ${status}, without a reason.`,
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
