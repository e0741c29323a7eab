export type MalipoErrorDetails = {
  readonly status: number
  readonly errorCode: string
  readonly message: string
  readonly requestId?: string | undefined
  readonly cause?: unknown
}

/**
 * A request that did not succeed. `errorCode` is the service's own where it gave one, `HTTP_400`
 * and the like where it gave none, and `TIMEOUT`, `NETWORK_ERROR` or `INVALID_RESPONSE` where there
 * was no usable answer. After these three nobody knows whether the request was carried out: send
 * it again with the same reference.
 */
export class MalipoError extends Error {
  /** The HTTP status, or 0 when there was no answer. */
  readonly status: number
  readonly errorCode: string
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined

  constructor({ status, errorCode, message, requestId, cause }: MalipoErrorDetails) {
    super(message, { cause })
    this.name = 'MalipoError'
    this.status = status
    this.errorCode = errorCode
    this.requestId = requestId
  }
}
