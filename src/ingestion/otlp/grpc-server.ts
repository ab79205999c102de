/**
 * The port of OTLP over gRPC. The library behind it costs more memory and start time than everything else here, and most
 * installations never use it: so we listen ourselves, and load it when the first connection comes.
 */
import { createServer, type Socket } from 'node:net'
import type { Connections } from '../../base/connection-limits.ts'
import type { Logger } from '../../base/log.ts'
import type { createGrpcService, GrpcServiceOptions } from './grpc-service.ts'

/** Until a connection without a call is closed at the end: a call may be on its way. */
const CLOSE_WAITING_MS = 500

export type GrpcServer = { port: number; close(): Promise<void> }

export type GrpcServerOptions = Omit<GrpcServiceOptions, 'onCall'> & {
  log: Logger
  connections: Connections
  /** Until it resolves, connections wait. */
  opened: Promise<void>
  host: string
  port: number
  /** How long calls that have begun may take to end when the server is closed. */
  closePatienceMs: number
}

/** Rejects as listening does (EADDRINUSE and the like). */
export async function startGrpcServer({
  host,
  port,
  closePatienceMs,
  connections,
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
    connections.begin(known.socket)
    return () => connections.end(known.socket)
  }

  /** A peer that connects and makes no call that is accepted is not kept. */
  function watchUse(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    const unused = setTimeout(() => socket.destroy(), options.requestTimeoutMs).unref()
    byPeer.set(peer, { socket, unused })
    socket.once('close', () => {
      clearTimeout(unused)
      byPeer.delete(peer)
    })
    connections.add(socket)
  }

  // What a peer sends while the library is being loaded waits in its socket, and is read from there.
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {
      // The peer went away; `close` follows, and there is nobody to tell.
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
  })
  await new Promise<void>((resolve, reject) => {
    // Not `once`: an error that comes later must not end the process, and rejecting again does nothing.
    server.on('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address()

  return {
    port: address && typeof address === 'object' ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await loading
      // Those that are still here have come before the library could be loaded.
      for (const socket of unserved) socket.destroy()
      // The library only asks the other side to close, and would wait for it.
      const waiting = setTimeout(() => connections.closeWaiting(), CLOSE_WAITING_MS)
      const patience = setTimeout(() => {
        service?.server.forceShutdown()
        for (const { socket } of byPeer.values()) socket.destroy()
      }, closePatienceMs)
      await new Promise<void>((resolve) => (service ? service.server.tryShutdown(() => resolve()) : resolve()))
      await closed
      clearTimeout(waiting)
      clearTimeout(patience)
    },
  }
}
