/**
 * OTLP over gRPC: `TraceService/Export` and those of logs and metrics, on the library's framing and with our own
 * codec. Only `grpc-server.ts` imports this file, and only when somebody connects.
 *
 * An interceptor asks for the key and for room before the library reads the message; the library reads and unpacks it up to the
 * limit; then the same happens as over HTTP. Room is asked for when the first bytes have arrived, and for the largest message, because
 * only then does the library begin to read how large it is; what is not needed is given back at once. Calls that have to wait for room
 * are held back by HTTP/2 after some 64 KiB. A call that falls silent loses its room to others, and after the request timeout it ends.
 */
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js'
import type { BodyRoom } from '../../base/body-budget.ts'
import { type AppError, unavailable } from '../../base/errors.ts'
import type { NewId } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import { exportResponse, mayBeSentAgain, rpcCode, rpcStatus } from './otlp-responses.ts'
import { SIGNALS, type Signal } from './otlp-signals.ts'
import type { Receiver } from './receive-traces.ts'
import { streamOf, untilBytesArrive, watchMessage } from './watch-message.ts'

const STREAMS_PER_CONNECTION_MAX = 100
const IDLE_CONNECTION_MS = 300_000
/** A connection that is told to end after an hour; the client opens the next one before the calls on this one have ended. */
const CONNECTION_AGE_MS = 3_600_000
/** A peer that does not answer within these is gone, though its connection looks open. */
const KEEPALIVE_MS = 60_000
const KEEPALIVE_TIMEOUT_MS = 20_000
/** Below the 10 seconds after which exporters give up: who is told to come again does so later than who hears nothing. */
const TURN_PATIENCE_MS = 5_000

export type GrpcServiceOptions = {
  receiver: Receiver
  newId: NewId
  requestTimeoutMs: number
  /** Is called when a call with a good key begins, with the peer as `address:port`; returns what to call at its end. */
  onCall(peer: string): () => void
}

/** What is known about a call before its message has come, by the headers of the call. */
type Admitted = WeakMap<Metadata, { principal: Principal; room: BodyRoom; timeout: NodeJS.Timeout }>

export function createGrpcService(options: GrpcServiceOptions) {
  const admitted: Admitted = new WeakMap()
  const server = new Server({
    interceptors: [admissionInterceptor(options, admitted)],
    'grpc.max_receive_message_length': options.receiver.limits.bodyBytesMax,
    'grpc.max_concurrent_streams': STREAMS_PER_CONNECTION_MAX,
    'grpc.max_connection_idle_ms': IDLE_CONNECTION_MS,
    'grpc.max_connection_age_ms': CONNECTION_AGE_MS,
    'grpc.max_connection_age_grace_ms': options.requestTimeoutMs,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    // The library would otherwise keep a history of calls for its own inspection tools.
    'grpc.enable_channelz': 0,
  })
  for (const signal of SIGNALS) {
    const method = {
      path: signal.grpcPath,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    }
    server.addService({ export: method }, { export: exportHandler(options, admitted, signal) })
  }
  return { server, injector: server.createConnectionInjector(ServerCredentials.createInsecure()) }
}

function exportHandler(
  { receiver, newId }: GrpcServiceOptions,
  admitted: Admitted,
  signal: Signal,
): handleUnaryCall<Buffer, Buffer> {
  return ({ request, metadata }, answer) => {
    const entry = admitted.get(metadata)
    admitted.delete(metadata)
    if (!entry) return answer({ code: status.CANCELLED })
    const { principal, room } = entry
    clearTimeout(entry.timeout)
    const store = async () => {
      room.complete()
      room.resize(request.length)
      return signal.receive(receiver, principal, { bytes: request, format: 'protobuf' })
    }
    store()
      .then(
        (outcome) => answer(null, exportResponse(outcome)),
        (error: unknown) => answer(statusOf(receiver.failure(error, newId()))),
      )
      .finally(() => room.release())
  }
}

/** Holds back the headers of a call, without which the library does not begin to read its message. */
function admissionInterceptor(options: GrpcServiceOptions, admitted: Admitted): ServerInterceptor {
  return (_method, call) => {
    let close = () => {}
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            close = admit(options, admitted, { call, metadata, proceed })
          },
          // Comes at the end of every call, however it ended.
          onCancel: () => close(),
        }),
    })
  }
}

type BegunCall = { call: ServerInterceptingCallInterface; metadata: Metadata; proceed(metadata: Metadata): void }

/** Returns what to call when the call is over. */
function admit(options: GrpcServiceOptions, admitted: Admitted, { call, metadata, proceed }: BegunCall): () => void {
  const { receiver, newId, requestTimeoutMs } = options
  const over = new AbortController()
  const stream = streamOf(call)
  let endCall = () => {}
  const refuse = (error: unknown) => {
    if (!over.signal.aborted) call.sendStatus(statusOf(receiver.failure(error, newId())))
  }
  const timeout = setTimeout(() => refuse(unavailable('The request was not received in time')), requestTimeoutMs)

  async function begin(): Promise<void> {
    const keys = metadata.get('authorization')
    const origin = { address: call.getConnectionInfo().remoteAddress ?? '', requestId: newId() }
    const principal = await receiver.authenticate(keys.length === 1 ? String(keys[0]) : '', origin)
    if (over.signal.aborted) return
    endCall = options.onCall(call.getPeer())
    if (stream) await untilBytesArrive(stream, over.signal)
    const room = await receiver.admitInTurn(principal, { timeoutMs: TURN_PATIENCE_MS, signal: over.signal })
    if (over.signal.aborted) return room.release()
    room.onDropped(refuse)
    if (stream) {
      const { bodyBytesMax } = receiver.limits
      // One that is compressed may need as much as the largest, whatever its length.
      watchMessage(stream, ({ length = bodyBytesMax }) => room.resize(Math.min(length, bodyBytesMax)))
    }
    admitted.set(metadata, { principal, room, timeout })
    proceed(metadata)
  }

  begin().catch(refuse)
  return () => {
    over.abort()
    clearTimeout(timeout)
    endCall()
    // Still there if the message never came. Otherwise the handler has it, and gives the room back when it has ended.
    admitted.get(metadata)?.room.release()
    admitted.delete(metadata)
  }
}

function statusOf(error: AppError) {
  const code = rpcCode(error.status)
  const metadata = new Metadata()
  if (mayBeSentAgain(code)) metadata.set('grpc-status-details-bin', rpcStatus(error))
  return { code, details: error.message, metadata }
}

function same(bytes: Buffer): Buffer {
  return bytes
}
