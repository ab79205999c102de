/** An answer outside 2xx, or no answer at all (status 0). The message is written for people by the server. */
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

/** What an error notice shows. Our own mistakes have no public text, so they get one fixed message. */
export function describeError(error: unknown): { message: string; requestId?: string } {
  if (!(error instanceof ApiError)) return { message: 'Something went wrong on this page. Reload it and try again.' }
  return error.requestId ? { message: error.message, requestId: error.requestId } : { message: error.message }
}

export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status)
}
