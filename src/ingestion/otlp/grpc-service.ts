/**
 * OTLP over gRPC: the `Export` methods of the trace, logs and metrics services, with the library's framing and our own codec. Only
 * `grpc-server.ts` imports this file, on the first connection.
 *
 * An interceptor authenticates the call and reserves memory before the library reads the message. The library reads and decompresses the
 * message up to the limit; the rest is the same as over HTTP. The interceptor reserves memory for the largest message when the first
 * bytes have arrived, because the library does not read the length earlier; unneeded memory is released immediately. HTTP/2 flow control
 * holds calls that wait for memory after about 64 KiB. A stalled call loses its memory to other calls and is closed after the request
 * timeout.
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
import type { BodyReservation } from '../../base/body-budget.ts'
import { type AppError, unavailable } from '../../base/errors.ts'
import type { NewId } from '../../base/ids.ts'
import type { TraceSender } from '../create-named-components.ts'
import { exportResponse, mayBeSentAgain, rpcCode, rpcStatus } from './otlp-responses.ts'
import { type Receiver, SIGNALS, type Signal } from './receive-traces.ts'
import { streamOf, untilBytesArrive, watchMessage } from './watch-message.ts'

const STREAMS_PER_CONNECTION_MAX = 100
const IDLE_CONNECTION_MS = 300_000
/** After an hour the server asks the client to reconnect. The client opens a new connection before the calls on the old one finish. */
const CONNECTION_AGE_MS = 3_600_000
/** A peer that does not respond within this time is gone, although its connection looks open. */
const KEEPALIVE_MS = 60_000
const KEEPALIVE_TIMEOUT_MS = 20_000
/** Below the 10-second timeout of exporters: an exporter that is asked to retry waits longer than one that times out. */
const TURN_TIMEOUT_MS = 5_000

export type GrpcServiceOptions = {
  receiver: Receiver
  newId: NewId
  requestTimeoutMs: number
  /** Called when an authenticated call begins, with the peer as `address:port`. Returns a function to call when it ends. */
  onCall(peer: string): () => void
}

/** The state of a call before its message has arrived, by the metadata of the call. */
type Admitted = WeakMap<Metadata, AdmittedCall>
type AdmittedCall = {
  principal: TraceSender
  reservation: BodyReservation
  timeout: NodeJS.Timeout
  enter(): Promise<() => void>
}

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
    // Otherwise the library records a history of calls for its inspection tools.
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
    const { principal, reservation } = entry
    clearTimeout(entry.timeout)
    const store = async () => {
      reservation.complete()
      reservation.resize(request.length)
      const leave = await entry.enter()
      return signal.receive(receiver, principal, { bytes: request, format: 'protobuf' }).finally(leave)
    }
    store()
      .then(
        (outcome) => answer(null, exportResponse(outcome)),
        (error: unknown) => answer(statusOf(receiver.failure(error, newId()))),
      )
      .finally(() => reservation.release())
  }
}

/** Delays the headers of a call until it is admitted. The library does not read the message before them. */
function admissionInterceptor(options: GrpcServiceOptions, admitted: Admitted): ServerInterceptor {
  return (_method, call) => {
    let close = () => {}
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            close = admit(options, admitted, { call, metadata, proceed })
          },
          // The library calls this at the end of every call, including successful ones.
          onCancel: () => close(),
        }),
    })
  }
}

type BegunCall = { call: ServerInterceptingCallInterface; metadata: Metadata; proceed(metadata: Metadata): void }

/** Returns a function to call when the call ends. */
function admit(options: GrpcServiceOptions, admitted: Admitted, { call, metadata, proceed }: BegunCall): () => void {
  const { receiver, newId, requestTimeoutMs } = options
  const over = new AbortController()
  const stream = streamOf(call)
  let endCall = () => {}
  const reject = (error: unknown) => {
    if (!over.signal.aborted) call.sendStatus(statusOf(receiver.failure(error, newId())))
  }
  const timeout = setTimeout(() => reject(unavailable('The request was not received in time')), requestTimeoutMs)

  async function begin(): Promise<void> {
    const keys = metadata.get('authorization')
    const [userAgent] = metadata.get('user-agent').map(String)
    const origin = { address: call.getConnectionInfo().remoteAddress ?? '', requestId: newId(), userAgent }
    const key = keys.length === 1 ? String(keys[0]) : ''
    const enter = () => receiver.enter(key, origin.address)
    // Another call has its turn while the message arrives.
    const leave = await enter()
    const principal = await receiver.authenticate(key, origin).finally(leave)
    if (over.signal.aborted) return
    endCall = options.onCall(call.getPeer())
    if (stream) await untilBytesArrive(stream, over.signal)
    const reservation = await receiver.admitInTurn(principal, { timeoutMs: TURN_TIMEOUT_MS, signal: over.signal })
    if (over.signal.aborted) return reservation.release()
    reservation.onDropped(reject)
    if (stream) {
      const { bodyBytesMax } = receiver.limits
      // A compressed message may need as much memory as the largest, regardless of its length.
      watchMessage(stream, ({ length = bodyBytesMax }) => reservation.resize(Math.min(length, bodyBytesMax)))
    }
    admitted.set(metadata, { principal, reservation, timeout, enter })
    proceed(metadata)
  }

  begin().catch(reject)
  return () => {
    over.abort()
    clearTimeout(timeout)
    endCall()
    // Still present if the message never arrived. Otherwise the handler owns the reservation and releases it when it finishes.
    admitted.get(metadata)?.reservation.release()
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
