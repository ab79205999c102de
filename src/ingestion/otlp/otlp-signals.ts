/** The signals of OTLP: traces and the GenAI events of logs are stored, metrics are accepted and ignored. */
import type { Principal } from '../../base/principal.ts'
import { decodeLogsJson } from './json/decode-logs.ts'
import { decodeJson } from './json/decode-traces.ts'
import type { Encoding, Outcome, RejectedField } from './otlp-responses.ts'
import { decodeLogsProtobuf } from './protobuf/decode-logs.ts'
import { decodeProtobuf } from './protobuf/decode-traces.ts'
import type { Receiver } from './receive-traces.ts'

type Stores = Pick<Receiver, 'store' | 'storeLogs'>

export type Signal = {
  /** The last segment of its HTTP path. */
  name: 'traces' | 'logs' | 'metrics'
  /** The path of its gRPC method. */
  grpcPath: string
  rejectedField: RejectedField
  receive(stores: Stores, principal: Principal, sent: SentBytes): Promise<Outcome>
}

type SentBytes = { bytes: Buffer; format: Encoding['format'] }

export const ALL_ACCEPTED: Outcome = { rejectedCount: 0, problems: [] }

export const SIGNALS: readonly Signal[] = [
  {
    name: 'traces',
    grpcPath: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    rejectedField: 'rejectedSpans',
    receive: ({ store }, principal, { bytes, format }) =>
      store(principal, {
        bytes: bytes.length,
        read: (keep) => (format === 'protobuf' ? decodeProtobuf(bytes, keep) : decodeJson(bytes, keep)),
      }),
  },
  {
    name: 'logs',
    grpcPath: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
    rejectedField: 'rejectedLogRecords',
    receive: ({ storeLogs }, principal, { bytes, format }) =>
      storeLogs(principal, {
        bytes: bytes.length,
        read: (keep) => (format === 'protobuf' ? decodeLogsProtobuf(bytes, keep) : decodeLogsJson(bytes, keep)),
      }),
  },
  {
    name: 'metrics',
    grpcPath: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
    rejectedField: 'rejectedDataPoints',
    // Metrics are not decoded. If they were rejected, an exporter with one endpoint for all signals would report an error every interval.
    receive: async () => ALL_ACCEPTED,
  },
]
