/**
 * An error whose message is meant for the caller. Everything else that is thrown is answered with one fixed message,
 * so nothing private leaves the process by accident. Put private detail in `cause`.
 */
export class AppError extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, options: { cause?: unknown; headers?: Record<string, string> } = {}) {
    super(message, { cause: options.cause })
    this.status = status
    this.headers = options.headers ?? {}
  }
}

/** The code that the system, a driver or a library gave an error; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function badRequest(message: string): AppError {
  return new AppError(400, message)
}

/** The text for a missing or wrong API key is fixed by the specification; every failed authentication uses it. */
export function unauthorized(message = 'Invalid or missing API key'): AppError {
  return new AppError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
}

export function forbidden(message: string): AppError {
  return new AppError(403, message)
}

/** One text per kind of resource, with no id in it: a foreign and a missing one must be answered alike, to the byte. */
export function notFound(resource: string): AppError {
  return new AppError(404, `${resource} not found`)
}

export function conflict(message: string): AppError {
  return new AppError(409, message)
}

export function tooManyRequests(message: string, retryAfterSeconds: number): AppError {
  return new AppError(429, message, { headers: { 'retry-after': String(retryAfterSeconds) } })
}

/** A quota is used up: 429, but sending the same again does not help until the quota resets or is raised. */
export class QuotaError extends AppError {
  constructor(message: string, retryAfterSeconds: number) {
    super(429, message, { headers: { 'retry-after': String(retryAfterSeconds) } })
  }
}

/** Passing trouble on our side: the same request may succeed later. `cause` goes to the log. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError(503, message, { cause, headers: { 'retry-after': '1' } })
}
