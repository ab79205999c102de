/**
 * The port of OTLP over gRPC. The library behind it costs more memory and start time than everything else here, and most
 * installations never use it: so we listen ourselves, and load it when the first connection comes.
 */
import { createServer, type Socket } from 'node:net'
import type { Logger } from '../base/log.ts'
import type { createGrpcService, GrpcServiceOptions } from './grpc-service.ts'

const CONNECTIONS_MAX = 1_000

export type GrpcServer = { port: number; close(): Promise<void> }

export type GrpcServerOptions = GrpcServiceOptions & {
  log: Logger
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
  ...options
}: GrpcServerOptions): Promise<GrpcServer> {
  const waiting = new Set<Socket>()
  let service: ReturnType<typeof createGrpcService> | undefined
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const { createGrpcService } = await import('./grpc-service.ts')
    service = createGrpcService(options)
    for (const socket of waiting) service.injector.injectConnection(socket)
    waiting.clear()
  }

  // What a peer sends while the library is being loaded waits in its socket, and is read from there.
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {
      // The peer went away; `close` follows, and there is nobody to tell.
    })
    if (service) {
      service.injector.injectConnection(socket)
      return
    }
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
    loading ??= load().catch((error: unknown) => {
      options.log.error({ err: error }, 'the gRPC library could not be loaded')
      for (const connection of waiting) connection.destroy()
      loading = undefined
    })
  })
  server.maxConnections = CONNECTIONS_MAX
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
      const patience = setTimeout(() => service?.server.forceShutdown(), closePatienceMs)
      await new Promise<void>((resolve) => (service ? service.server.tryShutdown(() => resolve()) : resolve()))
      await closed
      clearTimeout(patience)
    },
  }
}
