/**
 * OTLP over gRPC: `TraceService/Export` and those of logs and metrics, on the library's framing and with our own
 * codec. Only `grpc-server.ts` imports this file, and only when somebody connects.
 *
 * An interceptor asks for the key and for room before a byte of the message is read; the library reads and unpacks it
 * up to the limit; then the same happens as over HTTP. How large a message is only the library knows, and not before it has it:
 * so room for the largest is asked for, which few calls have at a time and give back when the message has come. The others
 * wait for their turn, in which their senders are held back by HTTP/2 after some 64 KiB.
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
import { type AppError, unavailable } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Admission } from './admission.ts'
import { exportResponse, rpcCode, rpcStatus } from './otlp-answers.ts'
import { SIGNALS, type Signal } from './otlp-signals.ts'
import type { Receiver } from './receive-traces.ts'

const STREAMS_PER_CONNECTION_MAX = 100
const IDLE_CONNECTION_MS = 300_000
/** Below the 10 seconds after which exporters give up: who is told to come again does so later than who hears nothing. */
const TURN_PATIENCE_MS = 5_000

export type GrpcServiceOptions = { receiver: Receiver; newId: NewId; requestTimeoutMs: number }

/** What is known about a call before its message has come, by the headers of the call. */
type Admitted = WeakMap<Metadata, { principal: Principal; admission: Admission; patience: NodeJS.Timeout }>

export function createGrpcService(options: GrpcServiceOptions) {
  const admitted: Admitted = new WeakMap()
  const server = new Server({
    interceptors: [admissionInterceptor(options, admitted)],
    'grpc.max_receive_message_length': options.receiver.limits.bodyBytesMax,
    'grpc.max_concurrent_streams': STREAMS_PER_CONNECTION_MAX,
    'grpc.max_connection_idle_ms': IDLE_CONNECTION_MS,
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
    const { principal, admission } = entry
    clearTimeout(entry.patience)
    const store = async () => {
      admission.resize(request.length)
      return signal.receive(receiver, principal, { bytes: request, format: 'protobuf' })
    }
    store()
      .then(
        (outcome) => answer(null, exportResponse(outcome)),
        (error: unknown) => answer(statusOf(receiver.failure(error, newId()))),
      )
      .finally(() => admission.release())
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

/** Answers what is to be done when the call is over. */
function admit(options: GrpcServiceOptions, admitted: Admitted, { call, metadata, proceed }: BegunCall): () => void {
  const { receiver, newId, requestTimeoutMs } = options
  const over = new AbortController()
  const { bodyBytesMax, heldBytesMax } = receiver.limits
  const refuse = (error: unknown) => call.sendStatus(statusOf(receiver.failure(error, newId())))
  const patience = setTimeout(() => refuse(unavailable('The request was not received in time')), requestTimeoutMs)
  const keys = metadata.get('authorization')
  receiver
    .authenticate(keys.length === 1 ? String(keys[0]) : '', { address: peerOf(call), requestId: newId() })
    .then(async (principal) => {
      const turn = { patienceMs: TURN_PATIENCE_MS, signal: over.signal }
      const admission = await receiver.admitInTurn(Math.min(bodyBytesMax, heldBytesMax), turn)
      if (over.signal.aborted) return admission.release()
      admitted.set(metadata, { principal, admission, patience })
      proceed(metadata)
    })
    .catch((error: unknown) => {
      // Nobody listens any more.
      if (!over.signal.aborted) refuse(error)
    })
  return () => {
    over.abort()
    clearTimeout(patience)
    // Still there if the message never came. Otherwise the handler has it, and gives the room back when it has ended.
    admitted.get(metadata)?.admission.release()
    admitted.delete(metadata)
  }
}

/** Without the port. Proxies are not asked: exporters send to this port from inside. */
function peerOf(call: ServerInterceptingCallInterface): string {
  return call
    .getPeer()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

function statusOf(error: AppError) {
  const code = rpcCode(error.status)
  const metadata = new Metadata()
  if (code === status.UNAVAILABLE) metadata.set('grpc-status-details-bin', rpcStatus(error))
  return { code, details: error.message, metadata }
}

function same(bytes: Buffer): Buffer {
  return bytes
}
