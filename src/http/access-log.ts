import type { Logger } from '../base/log.ts'
import type { ServedRequest } from './server-options.ts'

/** Logs a line per request. The declared path stands for the address, because ids and query values are data of users. */
export function createAccessLog(log: Logger): (served: ServedRequest) => void {
  return ({ id: requestId, method, route = null, status, durationMs, sentBytes: bytes }) =>
    log.info({ method, route, status, ms: Math.round(durationMs * 100) / 100, bytes, requestId }, 'request')
}
