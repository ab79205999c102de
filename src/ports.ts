/** The ports of the process: requests, traces over gRPC, metrics. */

import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createCallerLimits } from './auth/caller-limits.ts'
import type { Clock } from './base/clock.ts'
import { type Connections, createConnections } from './base/connection-limits.ts'
import { AppError, badRequest, codeOf } from './base/errors.ts'
import type { NewId } from './base/ids.ts'
import type { Logger } from './base/log.ts'
import type { TlsCertificate } from './base/tls-certificate.ts'
import { VERSION } from './base/version.ts'
import type { Config } from './config.ts'
import type { Readiness } from './health/readiness.ts'
import { hostAllowList, readTrustedProxies, rejectUnknownHost } from './http/client-address.ts'
import { type GrpcServer, startGrpcServer } from './ingestion/otlp/grpc-server.ts'
import type { Receiver } from './ingestion/otlp/receive-traces.ts'
import type { Storage } from './storage/storage.ts'

export const CLOSE_GRACE_MS = 5_000
/** A fifth of what is kept: a client sends its request at once. */
const UNUSED_CONNECTIONS_SHARE = 5

export async function listen(server: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    // For the name `localhost` Fastify opens a second server, on ::1, which has none of the limits of this one.
    const { address } = await lookup(host, { order: 'ipv4first' })
    await server.listen({ host: address, port })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE')
      throw new AppError(500, `Port ${port} is taken. Stop what uses it, or set PORT to another one`)
    if (code === 'EACCES')
      throw new AppError(500, `Port ${port} may not be used by this user. Set PORT to one above 1023`)
    if (code !== undefined && ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
      throw new AppError(500, `HOST ${host} is not an address of this machine`)
    throw error
  }
}

export function urlOf({ publicUrl, port }: Config, address: AddressInfo | string | null | undefined): string {
  // Port 0 lets the system choose; the address then has the chosen one.
  return port === 0 && address && typeof address === 'object' ? publicUrl.replace(/:0$/, `:${address.port}`) : publicUrl
}

/** The names that a port with this address is called by. */
export function allowedHosts({ publicUrl, allowedHosts }: Config, host: string): (host: string) => boolean {
  return hostAllowList([new URL(publicUrl).hostname, host, ...allowedHosts])
}

/** Of one port. */
export function connectionsOf({
  limits: { connectionsMax, connectionsPerAddressMax },
  trustedProxies,
}: Config): Connections {
  return createConnections({
    totalMax: connectionsMax,
    perAddressMax: connectionsPerAddressMax,
    unusedMax: Math.ceil(connectionsMax / UNUSED_CONNECTIONS_SHARE),
    // All clients of a proxy have its address.
    isShared: readTrustedProxies(trustedProxies),
  })
}

type GrpcDeps = {
  config: Config
  log: Logger
  newId: NewId
  tls: TlsCertificate | undefined
  /** When everything is prepared that requests need. */
  opened: Promise<void>
}

/** On the default port a collector may be listening already; that is no reason not to start. */
export async function listenForGrpc(
  receiver: Receiver,
  { config, log, newId, tls, opened }: GrpcDeps,
): Promise<GrpcServer | 'off' | 'port-taken'> {
  const { host, otlpGrpcPort: port, isOtlpGrpcPortGiven, requestTimeoutMs } = config
  if (port === undefined) return 'off'
  try {
    const limits = { requestTimeoutMs, closeGraceMs: CLOSE_GRACE_MS, connections: connectionsOf(config) }
    return await startGrpcServer({ host, port, receiver, newId, log, tls, opened, ...limits })
  } catch (error) {
    const isTaken = codeOf(error) === 'EADDRINUSE'
    if (isTaken && !isOtlpGrpcPortGiven) {
      log.warn(`Port ${port} is taken, so traces over gRPC are not received`)
      return 'port-taken'
    }
    const what = isTaken ? 'is taken' : 'cannot be used'
    throw new AppError(500, `Port ${port} ${what}. Set TOUCHSTONE_OTLP_GRPC_PORT to another one, or to off`, {
      cause: error,
    })
  }
}

/** Undefined if they are off. */
export async function serveMetrics(
  config: Config,
  deps: { storage: Storage; clock: Clock; log: Logger; readiness: Readiness },
) {
  const { metricsAddress } = config
  if (!metricsAddress) return undefined
  // Loaded only if they are on: the library needs memory.
  const { createMetrics } = await import('./metrics/create-metrics.ts')
  const { startMetricsServer } = await import('./metrics/metrics-server.ts')
  const metrics = createMetrics({ ...deps, version: VERSION })
  const isAllowedHost = allowedHosts(config, metricsAddress.host)
  const checkHost = (req: IncomingMessage) => {
    if ((req.headersDistinct.host?.length ?? 0) > 1) throw badRequest('More than one Host header')
    rejectUnknownHost(req, { host: req.headers.host }, isAllowedHost)
  }
  return { metrics, server: await startMetricsServer(metrics, { ...metricsAddress, log: deps.log, checkHost }) }
}

const FAILED_AUTHENTICATIONS_BURST = 100

export function callerLimits({ limits }: Config) {
  const { requestsPerSecond, requestsBurst, failedAuthenticationsPerSecond: failures, eventStreamsMax } = limits
  return createCallerLimits({
    requests: { perSecond: requestsPerSecond, burst: Math.max(requestsBurst, requestsPerSecond) },
    failures: { perSecond: failures, burst: failures * FAILED_AUTHENTICATIONS_BURST },
    eventStreamsMax,
  })
}
