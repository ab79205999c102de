/**
 * Listens for OTLP over gRPC. The gRPC library needs more memory and startup time than the rest of the server, and most installations
 * never use it. So the server listens itself and loads the library on the first connection.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Connections } from '../../base/connection-limits.ts'
import type { Logger } from '../../base/log.ts'
import { pairSockets } from '../../base/pair-sockets.ts'
import { TLS_OPTIONS, type TlsCertificate, tlsServerOptions } from '../../base/tls-certificate.ts'
import type { createGrpcService, GrpcServiceOptions } from './grpc-service.ts'

/** On shutdown, how long a connection without a call stays open: a call may be in flight. */
const CLOSE_WAITING_MS = 500

export type GrpcServer = { port: number; close(): Promise<void> }

export type GrpcServerOptions = Omit<GrpcServiceOptions, 'onCall'> & {
  log: Logger
  connections: Connections
  /** Undefined for plain text. */
  tls?: TlsCertificate | undefined
  /** Connections wait until this promise resolves. */
  opened: Promise<void>
  host: string
  port: number
  /** On shutdown, how long calls in progress may continue. */
  closeGraceMs: number
}

/** Rejects with the error of `listen`, such as EADDRINUSE. */
export async function startGrpcServer({
  host,
  port,
  closeGraceMs,
  connections,
  tls,
  opened,
  ...options
}: GrpcServerOptions): Promise<GrpcServer> {
  const unserved = new Set<Socket>()
  const byPeer = new Map<string, { socket: Socket; unused: NodeJS.Timeout }>()
  let service: ReturnType<typeof createGrpcService> | undefined
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const { createGrpcService } = await import('./grpc-service.ts')
    await opened
    service = createGrpcService({ ...options, onCall })
    for (const socket of unserved) service.injector.injectConnection(socket)
    unserved.clear()
  }

  function onCall(peer: string): () => void {
    const known = byPeer.get(peer)
    if (!known) return () => {}
    clearTimeout(known.unused)
    const connection = connectionOf(known.socket)
    connections.begin(connection)
    return () => connections.end(connection)
  }

  /** Closes connections on which no call is accepted. */
  function watchUse(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    const unused = setTimeout(() => socket.destroy(), options.requestTimeoutMs).unref()
    byPeer.set(peer, { socket, unused })
    socket.once('close', () => {
      clearTimeout(unused)
      byPeer.delete(peer)
    })
  }

  // Data that arrives while the library is loading stays in the socket and is read from there.
  function serve(socket: Socket): void {
    socket.on('error', () => {
      // The peer disconnected. `close` follows, and the error needs no handling.
    })
    watchUse(socket)
    if (socket.destroyed) return
    if (service) {
      service.injector.injectConnection(socket)
      return
    }
    unserved.add(socket)
    socket.once('close', () => unserved.delete(socket))
    loading ??= load().catch((error: unknown) => {
      options.log.error({ err: error }, 'the gRPC library could not be loaded')
      for (const connection of unserved) connection.destroy()
      loading = undefined
    })
  }

  const server = createListener(tls)
  const connectionOf = tls ? pairSockets(server) : (socket: Socket) => socket
  server.on('connection', (socket) => connections.add(socket))
  server.on(tls ? 'secureConnection' : 'connection', serve)
  await new Promise<void>((resolve, reject) => {
    // Not `once`: a later error must not crash the process, and rejecting again has no effect.
    server.on('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address()

  return {
    port: address && typeof address === 'object' ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await loading
      // These connections arrived before the library was loaded.
      for (const socket of unserved) socket.destroy()
      // The library only asks the peer to close, and would wait for it.
      const waiting = setTimeout(() => connections.closeWaiting(), CLOSE_WAITING_MS)
      const forceTimer = setTimeout(() => {
        service?.server.forceShutdown()
        for (const { socket } of byPeer.values()) socket.destroy()
      }, closeGraceMs)
      await new Promise<void>((resolve) => (service ? service.server.tryShutdown(() => resolve()) : resolve()))
      await closed
      clearTimeout(waiting)
      clearTimeout(forceTimer)
    },
  }
}

/** Ends TLS here, and not in the gRPC library, which is loaded later and cannot renew certificates. */
function createListener(tls: TlsCertificate | undefined): Server {
  if (!tls) return createServer({ noDelay: true })
  // Without this protocol the library would close the connection without a reason.
  const server = createTlsServer({ ...tlsServerOptions(tls), noDelay: true, ALPNProtocols: ['h2'] })
  tls.onChange((pem) => server.setSecureContext({ ...pem, minVersion: TLS_OPTIONS.minVersion }))
  return server
}
