import type { TracerProvider as ApiTracerProvider } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { ClientSettings } from '../client-options.ts'
import { warnOnce } from '../warn-once.ts'

/** Spans that wait to be sent. With the default of 2,048, programs that run many agents at once would lose some. */
const QUEUE_MAX = 16_384

export interface TracingPipeline {
  provider: ApiTracerProvider
  /** Sends what has ended. Never rejects. */
  flush(): Promise<void>
  /** Sends what has ended, and nothing after that. Never rejects. */
  shutdown(): Promise<void>
}

/** Spans of a program, sent to the server in batches. */
export function createTracingPipeline(
  { apiKey, baseUrl, headers }: Pick<ClientSettings, 'apiKey' | 'baseUrl' | 'headers'>,
  attributes: Record<string, string>,
): TracingPipeline {
  const exporter = new OTLPTraceExporter({
    url: `${baseUrl}/v1/traces`,
    headers: { ...headers, Authorization: `Bearer ${apiKey}` },
  })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(attributes)),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withWarnings(exporter, baseUrl),
        maxQueueSize: QUEUE_MAX,
        scheduledDelayMillis: 1000,
      }),
    ],
  })
  const quietly = async (work: Promise<void>) => work.catch(() => {}) // `withWarnings` has reported it.
  return {
    provider,
    flush: () => quietly(provider.forceFlush()),
    shutdown: () => quietly(provider.shutdown()),
  }
}

/** OpenTelemetry reports failed exports only to a logger that most programs do not have. */
function withWarnings(exporter: SpanExporter, baseUrl: string): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0) {
          warnOnce(`traces could not be sent to ${baseUrl}: ${result.error?.message ?? 'unknown error'}`)
        }
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
