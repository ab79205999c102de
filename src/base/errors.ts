import type { Principal } from './principal.ts'

/**
 * An error whose message is meant for the caller. All other errors result in one fixed message, so that no private
 * data leaves the process by accident. Put private details into `cause`.
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

/**
 * An authenticated caller lacks the permission. `principal` is for the audit log; the caller receives only the
 * message.
 */
export class AccessDenied extends AppError {
  readonly principal: Principal
  /** What a caller with 403 lacks. */
  readonly lacking: 'role' | 'second-factor'

  constructor(status: 401 | 403, message: string, principal: Principal, lacking: AccessDenied['lacking'] = 'role') {
    super(status, message, status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {})
    this.principal = principal
    this.lacking = lacking
  }
}

/** The code of an error of the system, a driver or a library; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function badRequest(message: string): AppError {
  return new AppError(400, message)
}

/** The specification defines the message for a missing or invalid API key; every failed authentication uses it. */
export function unauthorized(message = 'Invalid or missing API key'): AppError {
  return new AppError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
}

export function forbidden(message: string): AppError {
  return new AppError(403, message)
}

/**
 * One message per resource type, without an id: the responses for a foreign and for a missing resource must be
 * identical.
 */
export function notFound(resource: string): AppError {
  return new AppError(404, `${resource} not found`)
}

export function conflict(message: string): AppError {
  return new AppError(409, message)
}

export function tooManyRequests(message: string, retryAfterSeconds: number): AppError {
  return new AppError(429, message, { headers: { 'retry-after': String(retryAfterSeconds) } })
}

/** A quota is exhausted: 429, but a retry fails until the quota resets or is raised. */
export class QuotaError extends AppError {
  constructor(message: string, retryAfterSeconds: number) {
    super(429, message, { headers: { 'retry-after': String(retryAfterSeconds) } })
  }
}

/**
 * The database cannot be reached, is full or read-only. The work is not the cause: a job that sees it uses no attempt, and the server
 * reports that it is not ready.
 */
export class DatabaseOutage extends AppError {
  constructor(message: string, cause?: unknown) {
    super(503, message, { cause, headers: { 'retry-after': '1' } })
  }
}

/** A transient error of the server: the same request may succeed later. `cause` goes to the log. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError(503, message, { cause, headers: { 'retry-after': '1' } })
}
