/** The exporters of OpenTelemetry, pointed at a server under test, and its responses. */
import { Metadata } from '@grpc/grpc-js'
import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { vi } from 'vitest'
import type { TestApp } from '../harness/test-app.ts'

export const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const
type Protocol = (typeof PROTOCOLS)[number]

export type Sending = { protocol: Protocol; compression?: 'none' | 'gzip'; key: string }

export type WatchedExporter = SpanExporter & { batchSizes: number[]; failures: string[] }

/** gRPC is off in tests by default. */
export const WITH_GRPC = { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0' } }

/** An exporter as programs have it, which also remembers how many spans it sent at a time and what went wrong. */
export function exporterTo(app: TestApp, sending: Sending): WatchedExporter {
  const exporter = createExporter(app, sending)
  const batchSizes: number[] = []
  const failures: string[] = []
  return {
    batchSizes,
    failures,
    export(spans, done) {
      batchSizes.push(spans.length)
      exporter.export(spans, (result) => {
        if (result.code !== SUCCESS) failures.push(result.error?.message ?? 'no reason given')
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}

const SUCCESS = 0

function createExporter(app: TestApp, { protocol, compression = 'none', key }: Sending): SpanExporter {
  // Not an argument, because its type is an enum of a package that programs do not depend on.
  vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', compression)
  try {
    const authorization = `Bearer ${key}`
    if (protocol === 'grpc') {
      if (app.grpcUrl === undefined) throw new Error('the server does not listen for gRPC')
      const metadata = new Metadata()
      metadata.set('authorization', authorization)
      return new GrpcExporter({ url: app.grpcUrl, metadata })
    }
    const options = { url: `${app.url}/v1/traces`, headers: { authorization } }
    return protocol === 'http/json' ? new JsonExporter(options) : new ProtoExporter(options)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** The warnings and errors that exporters report to their program during an action. */
export async function complaintsDuring(work: () => Promise<void>): Promise<string[]> {
  const complaints: string[] = []
  const note = (...words: unknown[]) => void complaints.push(words.map(String).join(' '))
  const ignore = () => {}
  const logger: DiagLogger = { error: note, warn: note, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  try {
    await work()
  } finally {
    diag.disable()
  }
  return complaints
}
