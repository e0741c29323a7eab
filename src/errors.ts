/**
 * The catalogue of refusals: every code a caller can receive, its usual message, and whether the
 * same request may succeed when it is sent again later. The documentation is generated from it.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: { message: 'Validation error: the request is not valid.', retryable: false },
  UNAUTHORIZED: {
    message: 'The access token is missing, invalid, expired or revoked. Request a new one.',
    retryable: false,
  },
  FORBIDDEN: { message: 'This credential may not do that.', retryable: false },
  IP_NOT_ALLOWED: {
    message: 'This credential may not be used from this IP address.',
    retryable: false,
  },
  SANDBOX_ONLY: {
    message: 'This path works with a sandbox token only. Live requests go to /api/b2b.',
    retryable: false,
  },
  ROUTE_NOT_FOUND: { message: 'There is no such path.', retryable: false },
  METHOD_NOT_ALLOWED: { message: 'This path does not take that method.', retryable: false },
  PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 1 MiB.', retryable: false },
  UNSUPPORTED_MEDIA_TYPE: {
    message: 'The body must be JSON: send the header content-type: application/json.',
    retryable: false,
  },
  HEADERS_TOO_LARGE: { message: 'The request headers are too large.', retryable: false },
  REQUEST_TIMEOUT: { message: 'The request did not arrive in time.', retryable: true },
  RATE_LIMITED: {
    message: 'Too many requests. Wait as long as the Retry-After header says.',
    retryable: true,
  },
  INTERNAL_SERVER_ERROR: {
    message: 'Something went wrong on our side. Quote the request id when you report it.',
    retryable: true,
  },
  SERVICE_UNAVAILABLE: {
    message: 'The service cannot take this request right now. It is safe to send it again.',
    retryable: true,
  },
  INSUFFICIENT_FUNDS: {
    message: 'The wallet does not hold enough for this.',
    retryable: false,
  },
  CREDENTIAL_NOT_FOUND: { message: 'There is no such credential.', retryable: false },
  TRANSACTION_NOT_FOUND: {
    message: 'There is no transaction with this ID or external reference.',
    retryable: false,
  },
  WALLET_NOT_FOUND: { message: 'There is no such wallet.', retryable: false },
  SUSPENSE_NOT_FOUND: { message: 'There is no such money in suspense.', retryable: false },
  SUSPENSE_RESOLVED: { message: 'That money is not in suspense any more.', retryable: false },
  WEBHOOK_NOT_FOUND: { message: 'There is no such webhook.', retryable: false },
  WEBHOOK_URL_NOT_SET: {
    message: 'There is no URL to send it to: set one first.',
    retryable: false,
  },
  UNSUPPORTED_CURRENCY: { message: 'This currency is not supported.', retryable: false },
  UNSUPPORTED_DESTINATION: {
    message: 'This destination is not supported in this country.',
    retryable: false,
  },
  MOMO_OPERATOR_ID_REQUIRED: {
    message: 'Name the mobile money operator: the number alone does not tell it.',
    retryable: false,
  },
  'E-BEN.S-35': { message: 'Account number already in use.', retryable: false },
  'E-BEN.S-90': { message: 'Missing external account!', retryable: false },
  FX_RATE_UNAVAILABLE: {
    message: 'There is no current exchange rate between these currencies. Try again later.',
    retryable: true,
  },
  'E-API-UT.S-39': { message: 'No branches found for specified bank id', retryable: false },
  MOMO_CODE_REQUIRED: {
    message: 'This operator wants a code the customer makes beforehand: send it as otpCode.',
    retryable: false,
  },
  WALLET_CURRENCY_NOT_SUPPORTED: {
    message: 'There are no wallets in that walletCurrency.',
    retryable: false,
  },
  CHARGE_NOT_AWAITING_AUTHORISATION: {
    message: 'The charge does not wait for that authorisation.',
    retryable: false,
  },
  AUTHORISATION_FAILED: { message: 'The authorisation value is wrong.', retryable: false },
  'E-CH-PY.S-37': { message: 'Account does not exist.', retryable: false },
  'E-API-D.S-28': { message: 'External reference already used.', retryable: false },
  IDEMPOTENCY_KEY_REUSED: {
    message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
    retryable: false,
  },
  PROVIDER_NOT_FOUND: {
    message: 'No rail serves this country, currency and destination.',
    retryable: false,
  },
  AMOUNT_OUT_OF_BOUNDS: {
    message: 'The amount is outside the limits of this country, currency and destination.',
    retryable: false,
  },
  DEBIT_CURRENCY_NOT_SUPPORTED: {
    message: 'There are no wallets in that debitCurrency.',
    retryable: false,
  },
  DEBIT_COUNTRY_REQUIRED: {
    message: 'Wallets of that debitCurrency exist in several countries: say debitCountry.',
    retryable: false,
  },
  INVALID_LOGIN: { message: 'The email or the password is wrong.', retryable: false },
  CODE_REQUIRED: { message: 'Send the code that your app shows too.', retryable: false },
  CSRF_REFUSED: {
    message: 'The request did not come from the dashboard. Load the page again.',
    retryable: false,
  },
  WRONG_PASSWORD: { message: 'The current password is wrong.', retryable: false },
  WRONG_CODE: { message: 'The code is wrong. Wait for the next one.', retryable: false },
  PERSON_NOT_FOUND: { message: 'There is no such person.', retryable: false },
  EMAIL_TAKEN: { message: 'Somebody with this email has a login already.', retryable: false },
  LAST_OWNER: {
    message: 'Somebody has to be the owner: make another person owner first.',
    retryable: false,
  },
  INVITATION_NOT_FOUND: {
    message: 'The invitation is unknown, was used or has ended. Ask for a new one.',
    retryable: false,
  },
  'E-B2B-S-118': { message: 'User does not exist', retryable: false },
  BATCH_NOT_FOUND: { message: 'There is no such batch.', retryable: false },
  BATCH_STATE: { message: 'The batch is not in a state that allows this.', retryable: false },
  BATCH_HAS_ERRORS: {
    message: 'Some lines of the batch cannot be paid. Mend the file, or submit it without them.',
    retryable: false,
  },
  APPROVAL_BY_ANOTHER: {
    message: 'A batch is approved by another person than the one who made it.',
    retryable: false,
  },
} as const satisfies Record<string, { message: string; retryable: boolean }>

export type ErrorCode = keyof typeof errorCatalogue

/** A refusal: its code and message go to the caller, its detail to the log only. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      detail?: string
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause })
    this.code = code
    this.detail = options.detail
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export function validationError(sentence: string): AppError {
  return new AppError('VALIDATION_ERROR', { message: `Validation error: ${sentence}` })
}
