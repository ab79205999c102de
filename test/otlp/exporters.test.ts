/** The exporters of OpenTelemetry itself, against the whole program. */

import { Metadata } from '@grpc/grpc-js'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { describe, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

/** A span as an instrumented program makes it. */
async function recordSpans(attributes: Record<string, string> = {}): Promise<ReadableSpan[]> {
  const memory = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
  const tracer = provider.getTracer('tests', '1.2.3')
  const span = tracer.startSpan('chat gpt-4o', { kind: SpanKind.CLIENT, startTime: [1_763_184_000, 123_456_789] })
  span.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': 25,
    'llm.tags': ['a', 'ä'],
    ...attributes,
  })
  span.addEvent('gen_ai.choice', { index: 0 })
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'rate limited' })
  span.end([1_763_184_001, 1])
  await provider.forceFlush()
  return memory.getFinishedSpans()
}

function exportBy(exporter: SpanExporter, spans: ReadableSpan[]): Promise<{ code: number; error?: Error | undefined }> {
  return new Promise((resolve) => exporter.export(spans, resolve))
}

const EXPORTERS: [string, (app: TestApp, key: string) => SpanExporter][] = [
  ['JSON', ({ url }, key) => new JsonExporter({ url: `${url}/v1/traces`, headers: bearer(key) })],
  ['protobuf', ({ url }, key) => new ProtobufExporter({ url: `${url}/v1/traces`, headers: bearer(key) })],
  [
    'gRPC',
    ({ grpcUrl = '' }, key) => {
      const metadata = new Metadata()
      metadata.set('authorization', `Bearer ${key}`)
      return new GrpcExporter({ url: grpcUrl, metadata })
    },
  ],
]

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describeEachEngine(
  'an exporter of OpenTelemetry',
  (app) => {
    describe.each(EXPORTERS)('by %s', (_, create) => {
      it('gets a success, and its spans are stored to the nanosecond', async () => {
        const { key, workspaceId } = await app().newWorkspace()
        const exporter = create(app(), key)
        expect(await exportBy(exporter, await recordSpans())).toEqual({ code: 0 })
        await exporter.shutdown()
        const stored = await app()
          .storage.read.selectFrom('spans')
          .select(['name', 'status', 'status_message'])
          .select(({ cast }) => [
            cast<string>('start_ns', 'text').as('start'),
            cast<string>('end_ns', 'text').as('end'),
          ])
          .where('workspace_id', '=', workspaceId)
          .execute()
        const times = { start: '1763184000123456789', end: '1763184001000000001' }
        expect(stored).toEqual([{ name: 'chat gpt-4o', status: 'error', status_message: 'rate limited', ...times }])
      })

      it('creates the component that its spans name, if the application allows it', async () => {
        const { key, client, workspaceId } = await app().newWorkspace()
        const admin = await browserWith(app(), workspaceId, 'admin')
        await admin.send('PUT', '/trace-settings', { body: { createsComponents: true } })
        const exporter = create(app(), key)
        const spans = await recordSpans({ 'touchstone.component': 'Greeter' })
        expect(await exportBy(exporter, spans)).toEqual({ code: 0 })
        await exporter.shutdown()
        expect(await client.list('/components')).toMatchObject([{ name: 'Greeter' }])
        const [event] = await admin.list('/audit-log?action=component.created')
        expect(event).toMatchObject({
          actorKind: 'api-key',
          detail: 'Greeter',
          address: expect.stringContaining('127.0.0.1'),
        })
      })

      it('gets an error for a wrong key, and does not retry', async () => {
        const exporter = create(app(), 'wrong-key-that-was-never-created')
        const { code, error } = await exportBy(exporter, await recordSpans())
        expect(code).toBe(1)
        expect(error?.message).toMatch(/Unauthorized|UNAUTHENTICATED|Invalid or missing API key/)
        await exporter.shutdown()
      })
    })
  },
  { works: false, environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0' } },
)
