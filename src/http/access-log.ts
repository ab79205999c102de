import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, elapsedMs } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { ServedRequest } from './server-options.ts'

/** Logs a line per request. The declared path stands for the address, because ids and query values are data of users. */
export function createAccessLog(log: Logger): (served: ServedRequest) => void {
  return ({ id: requestId, method, route = null, status, durationMs, sentBytes: bytes }) =>
    log.info({ method, route, status, ms: Math.round(durationMs * 100) / 100, bytes, requestId }, 'request')
}

/** The client has disconnected before the response; the number that nginx logs for it. It is never sent. */
const DISCONNECTED = 499

type Watch = (request: FastifyRequest, reply: FastifyReply, route: string | undefined) => void

/** Reports each request when its response is finished, for the access log and metrics. */
export function watchRequests(clock: Clock, onServed: (served: ServedRequest) => void): Watch {
  return ({ id, method, raw: { socket } }, { raw: res }, route) => {
    const startedAt = elapsedMs(clock)
    const writtenBefore = socket.bytesWritten
    res.on('close', () => {
      onServed({
        id,
        method,
        route,
        status: res.headersSent ? res.statusCode : DISCONNECTED,
        durationMs: elapsedMs(clock) - startedAt,
        sentBytes: socket.bytesWritten - writtenBefore,
      })
    })
  }
}
