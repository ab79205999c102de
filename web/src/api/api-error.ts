/** A response outside of 2xx, or no response at all (status 0). The server writes the message for users. */
export class ApiError extends Error {
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: ApiErrorOptions) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.status = options.status
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

interface ApiErrorOptions {
  status: number
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** The content of an error notice. Unexpected errors of the page have no public message, so they get a fixed one. */
export function describeError(error: unknown): { message: string; requestId?: string } {
  if (!(error instanceof ApiError)) return { message: 'Something went wrong on this page. Reload it and try again.' }
  return error.requestId ? { message: error.message, requestId: error.requestId } : { message: error.message }
}

export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status)
}

/** No response, a failing server, or too many requests: the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500
}
