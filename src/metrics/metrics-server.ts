import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError, codeOf } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from './create-metrics.ts'

const REQUEST_TIMEOUT_MS = 10_000
/** Prometheus needs one or two; a client that opens more must not use up the descriptors of the process. */
const CONNECTIONS_MAX = 20

export type MetricsServer = { url: string; close(): Promise<void> }

/**
 * Serves `GET /metrics` on a port of its own, without authentication: the address decides who can read them. On the public port a
 * forgotten setting would publish them. `checkHost` throws for a host name that is not this server's: otherwise a web page could read
 * them through the browser of a visitor who can reach the port (DNS rebinding).
 */
export async function startMetricsServer(
  metrics: Metrics,
  { host, port, log, checkHost }: { host: string; port: number; log: Logger; checkHost(req: IncomingMessage): void },
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (req, res) => {
    try {
      checkHost(req)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      res.writeHead(error.status, { 'content-type': 'application/json', connection: 'close' })
      res.end(JSON.stringify({ error: error.message }))
      return
    }
    const path = req.url?.split('?', 1)[0]
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (path !== '/metrics' || !isRead) {
      res.writeHead(path === '/metrics' ? 405 : 404, { 'content-type': 'application/json', allow: 'GET, HEAD' })
      res.end(JSON.stringify({ error: path === '/metrics' ? 'This path supports only GET, HEAD' : 'Not found' }))
      return
    }
    metrics.read().then(
      (text) => {
        res.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
        res.end(text)
      },
      (error: unknown) => {
        log.error({ err: error }, 'metrics could not be read')
        res.writeHead(500, { 'content-type': 'application/json' })
        res.end(JSON.stringify({ error: 'Internal server error' }))
      },
    )
  })
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, host, port)
  const address = server.address()
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${isAddress(address) ? address.port : port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port }, resolve)
  try {
    await promise
  } catch (error) {
    const why = codeOf(error) === 'EADDRINUSE' ? 'is taken' : 'cannot be used'
    throw new AppError(500, `${host}:${port} ${why}. Set TOUCHSTONE_METRICS to another address, or to off`, {
      cause: error,
    })
  }
}
