/** The class of all errors that this package throws, except those of your own functions and of your own `signal`. */
export class TouchstoneError extends Error {
  override name = 'TouchstoneError'
}

/** No resource has this name. */
export class NameNotFoundError extends TouchstoneError {
  override name = 'NameNotFoundError'
}

/** Thrown by your own function that runs a call of a trial: another attempt may succeed. */
export class TransientError extends TouchstoneError {
  override name = 'TransientError'
}

/** No response: the server is not reachable, or the connection was closed before the response had ended. */
export class ConnectionError extends TouchstoneError {
  override name = 'ConnectionError'
}

/** No response within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** A response of success that cannot be read: not JSON, for example the page of a proxy. It is not repeated. */
export class ResponseError extends TouchstoneError {
  override name = 'ResponseError'
}

export interface ApiErrorDetails {
  status: number
  requestId: string | undefined
  retryAfter: number | undefined
}

/** A response outside of 2xx. The message is that of the server. */
export class ApiError extends TouchstoneError {
  override name = 'ApiError'
  readonly status: number
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined
  /** Seconds after which the server expects the request again, if it says so. */
  readonly retryAfter: number | undefined

  constructor(message: string, { status, requestId, retryAfter }: ApiErrorDetails) {
    super(message)
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** 400, or 422 for an idempotency key that was used before with another request. */
export class ValidationError extends ApiError {
  override name = 'ValidationError'
}

/** 401 */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** 403 */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** 404, also for resources of other applications. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 409 */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** 429 */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}

/** 500 and above. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

const CLASSES: Record<number, typeof ApiError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
}

export function apiErrorOf(message: string, details: ApiErrorDetails): ApiError {
  const Class = CLASSES[details.status] ?? (details.status >= 500 ? ServerError : ApiError)
  return new Class(message, details)
}
