import { AppError, codeOf } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { HttpResponse } from './route.ts'

/** The one place where a failure becomes an answer: `{"error": "<message>"}`, and nothing else, whatever failed. */
export function errorResponse(error: unknown, log: Logger, requestId: string): HttpResponse {
  if (error instanceof AppError) {
    if (error.status >= 500) log.error({ err: error, cause: error.cause, requestId }, error.message)
    return { status: error.status, headers: error.headers, body: { error: error.message } }
  }
  const routing = routerErrorResponse(error)
  if (routing) return routing
  // Our bug. The caller learns nothing of it but the request id, under which the log tells the rest.
  log.error({ err: error, requestId }, 'request failed')
  return { status: 500, body: { error: 'Internal server error' } }
}

/** What the router itself refuses before any route is found. */
function routerErrorResponse(error: unknown): HttpResponse | undefined {
  const code = codeOf(error)
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return { status: 400, body: { error: 'Malformed URL' } }
  }
  return undefined
}
