import { AppError, codeOf } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { HttpResponse } from './route.ts'

/** Converts any error to the response body `{"error": "<message>"}`. No other code does this. */
export function errorResponse(error: unknown, log: Logger, requestId: string): HttpResponse {
  if (error instanceof AppError) {
    if (error.status >= 500) log.error({ err: error, cause: error.cause, requestId }, error.message)
    return { status: error.status, headers: error.headers, body: { error: error.message } }
  }
  const routing = routerErrorResponse(error)
  if (routing) return routing
  // A bug. The caller gets only the request id; the log has the details.
  log.error({ err: error, requestId }, 'request failed')
  return { status: 500, body: { error: 'Internal server error' } }
}

/** Errors that the router raises before it finds a route. */
function routerErrorResponse(error: unknown): HttpResponse | undefined {
  const code = codeOf(error)
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return { status: 400, body: { error: 'Malformed URL' } }
  }
  return undefined
}
