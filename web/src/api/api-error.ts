/** A response outside of 2xx, or no response at all (status 0). The server writes the message for users. */
export class ApiError extends Error {
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The time at which the server expects the request again. */
  readonly retryAtMs: number | undefined

  constructor(message: string, options: ApiErrorOptions) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.status = options.status
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
    this.retryAtMs = options.retryAfterSeconds === undefined ? undefined : Date.now() + options.retryAfterSeconds * 1000
  }
}

interface ApiErrorOptions {
  status: number
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** The content of an error notice. Unexpected errors of the page have no public message, so they get a fixed one. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof ApiError)) return { message: 'Something went wrong on this page. Reload it and try again.' }
  const { message, requestId, retryAtMs } = error
  return { message, ...(requestId && { requestId }), ...(retryAtMs !== undefined && { retryAtMs }) }
}

interface DescribedError {
  message: string
  /** Errors without a response have none. */
  requestId?: string
  /** Only if the server says when to try again. */
  retryAtMs?: number
}

export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status)
}

/** No response, a failing server, or too many requests: the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500
}
