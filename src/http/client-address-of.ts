import type { FastifyRequest } from 'fastify'

/** Whom to count a request for: the other end of its connection. */
export function clientAddressOf(request: Pick<FastifyRequest, 'ip'>): string {
  return request.ip
}
