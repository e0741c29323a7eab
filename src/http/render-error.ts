import { isUnavailableFault, isUnstorableText } from '../db/faults.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { statusOf } from './statuses.ts'

export type RenderedError = {
  status: number
  headers: Record<string, string>
  body: { success: false; message: string; errorCode: ErrorCode }
}

/** Whatever was thrown, as a refusal of the catalogue. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = (error as { code?: unknown } | null)?.code
  const known = typeof code === 'string' ? frameworkFaults[code] : undefined
  if (known) return known()
  if (isUnavailableFault(error)) {
    return new AppError('SERVICE_UNAVAILABLE', { cause: error, retryAfterSeconds: 1 })
  }
  if (isUnstorableText(error)) return badRequest('a text contains a zero character.')()
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return badRequest('the request could not be read.')()
  }
  return new AppError('INTERNAL_SERVER_ERROR', { cause: error })
}

export function renderError(error: AppError): RenderedError {
  const { code, message, retryAfterSeconds } = error
  return {
    status: statusOf[code],
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { success: false, message, errorCode: code },
  }
}

const badRequest = (sentence: string) => () =>
  new AppError('VALIDATION_ERROR', { message: `Validation error: ${sentence}` })

/** The faults of the framework and of Node's parser, by their codes. */
const frameworkFaults: Record<string, () => AppError> = {
  FST_ERR_CTP_INVALID_JSON_BODY: badRequest('the body is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: badRequest('the body is empty; send a JSON object.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: badRequest('the content-length header is wrong.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('PAYLOAD_TOO_LARGE'),
  FST_ERR_BAD_URL: badRequest('the address is not a valid URL.'),
  FST_ERR_MAX_PARAM_LENGTH_EXCEEDED: () => new AppError('ROUTE_NOT_FOUND'),
  FST_ERR_ROUTE_MISSING_HANDLER: () => new AppError('ROUTE_NOT_FOUND'),
  HPE_HEADER_OVERFLOW: () => new AppError('HEADERS_TOO_LARGE'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new AppError('REQUEST_TIMEOUT'),
}
