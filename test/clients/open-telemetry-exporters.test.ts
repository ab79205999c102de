import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, SimpleSpanProcessor, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { complaintsDuring, exporterTo, PROTOCOLS, WITH_GRPC } from './exporters.ts'
import { readTrace, spanNamed } from './stored-trace.ts'

const START_MS = Date.UTC(2026, 10, 15, 9, 30, 0, 123)
const ABSENT_ID = '019a86a0-0000-7000-8000-000000000000'

const WAYS = PROTOCOLS.flatMap((protocol) => [
  { protocol, compression: 'none' as const },
  { protocol, compression: 'gzip' as const },
])

const RESOURCE = {
  'service.name': 'support-bot',
  'service.version': '4.2.0',
  'deployment.environment.name': 'staging',
  'team.members': ['Ada', 'Łukasz'],
}

function providerOf(processors: SpanProcessor[], resource: Record<string, string | string[]> = RESOURCE) {
  return new TracerProvider({ resource: resourceFromAttributes(resource), spanProcessors: processors })
}

type ChildOptions = { parent: Span; name: string; atMs?: number; attributes?: Record<string, string | number> }

function startChild(tracer: Tracer, { parent, name, atMs = START_MS, attributes = {} }: ChildOptions): Span {
  return tracer.startSpan(name, { startTime: new Date(atMs), attributes }, trace.setSpan(ROOT_CONTEXT, parent))
}

function endAt(span: Span, atMs: number): void {
  span.end(new Date(atMs))
}

/** A small agent: an answer that looks something up, fails at it once, and remembers where the question came from. */
function recordAnswer(tracer: Tracer) {
  const earlier = tracer.startSpan('earlier question', { root: true })
  endAt(earlier, Date.now())
  const root = tracer.startSpan('answer', {
    root: true,
    kind: SpanKind.SERVER,
    startTime: new Date(START_MS),
    attributes: {
      'input.value': 'Où est ma facture ? 請求書 🧾',
      'output.value': 'Là.\n\t"Ici"',
      'session.id': 'chat-7',
    },
    links: [{ context: earlier.spanContext(), attributes: { 'link.reason': 'follow-up' } }],
  })
  const lookup = startChild(tracer, { parent: root, name: 'look up', atMs: START_MS + 5 })
  lookup.setAttributes({
    texts: ['a', 'ü', '🧾'],
    counts: [1, -2, 9_007_199_254_740_991],
    ratios: [0.5, -1.25],
    flags: [true, false],
    empty: [],
    isCached: false,
    tries: 3,
    ratio: 0.1,
    'clé 鍵': 'värde',
  })
  lookup.addEvent('retry', { attempt: 2, why: 'zu spät' }, new Date(START_MS + 7))
  lookup.recordException(new TypeError('No invoice for “Žofie”'), new Date(START_MS + 8))
  lookup.setStatus({ code: SpanStatusCode.ERROR, message: 'No invoice for “Žofie”' })
  const call = startChild(tracer, {
    parent: lookup,
    name: 'chat gpt-4o',
    atMs: START_MS + 6,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
    },
  })
  call.setStatus({ code: SpanStatusCode.OK })
  // Child spans end first and so are sent first.
  endAt(call, START_MS + 9)
  endAt(lookup, START_MS + 10)
  endAt(root, START_MS + 1_501)
  return {
    root: root.spanContext(),
    lookup: lookup.spanContext(),
    call: call.spanContext(),
    link: earlier.spanContext(),
  }
}

const at = (milliseconds: number) => new Date(START_MS + milliseconds).toISOString()

describeEachEngine(
  'the exporters of OpenTelemetry',
  (app) => {
    it.each(WAYS)('lose nothing of a trace: $protocol, compression $compression', async (way) => {
      const { client, key } = await app().newWorkspace()
      const exporter = exporterTo(app(), { ...way, key })
      const provider = providerOf([new BatchSpanProcessor({ exporter })])
      const sent = recordAnswer(provider.getTracer('support', '1.0.0'))
      expect(await complaintsDuring(() => provider.forceFlush())).toEqual([])
      const stored = await readTrace(client, sent.root.traceId)
      await provider.shutdown()

      expect(stored).toMatchObject({
        name: 'answer',
        input: 'Où est ma facture ? 請求書 🧾',
        output: 'Là.\n\t"Ici"',
        sessionId: 'chat-7',
        startTime: at(0),
        endTime: at(1_501),
        durationMs: 1_501,
        totalTokens: 1_100,
      })
      expect(stored.spans).toHaveLength(3)
      expect(spanNamed(stored, 'answer')).toMatchObject({
        spanId: sent.root.spanId,
        parentSpanId: null,
        status: 'ok',
        startTime: at(0),
        endTime: at(1_501),
        metadata: {
          ...RESOURCE,
          'otel.scope.name': 'support',
          'otel.scope.version': '1.0.0',
          'span.links': [
            { traceId: sent.link.traceId, spanId: sent.link.spanId, attributes: { 'link.reason': 'follow-up' } },
          ],
        },
      })
      expect(spanNamed(stored, 'look up')).toMatchObject({
        spanId: sent.lookup.spanId,
        parentSpanId: sent.root.spanId,
        status: 'error',
        statusMessage: 'No invoice for “Žofie”',
        startTime: at(5),
        endTime: at(10),
        metadata: {
          texts: ['a', 'ü', '🧾'],
          counts: [1, -2, 9_007_199_254_740_991],
          ratios: [0.5, -1.25],
          flags: [true, false],
          empty: [],
          isCached: false,
          tries: 3,
          ratio: 0.1,
          'clé 鍵': 'värde',
        },
        events: [
          { name: 'retry', timestamp: at(7), body: { attempt: 2, why: 'zu spät' } },
          {
            name: 'exception',
            timestamp: at(8),
            body: {
              'exception.type': 'TypeError',
              'exception.message': 'No invoice for “Žofie”',
              'exception.stacktrace': expect.stringContaining('recordAnswer'),
            },
          },
        ],
      })
      expect(spanNamed(stored, 'chat gpt-4o')).toMatchObject({
        spanId: sent.call.spanId,
        parentSpanId: sent.lookup.spanId,
        kind: 'llm',
        status: 'ok',
        model: 'gpt-4o',
        provider: 'openai',
        inputTokens: 1_000,
        outputTokens: 100,
        startTime: at(6),
        endTime: at(9),
      })
    })

    it.each(PROTOCOLS)('show a trace while it is still going on, span by span: %s', async (protocol) => {
      const { client, key } = await app().newWorkspace()
      const exporter = exporterTo(app(), { protocol, key })
      const provider = providerOf([new SimpleSpanProcessor({ exporter })])
      const tracer = provider.getTracer('support')
      const root = tracer.startSpan('root', { root: true, startTime: new Date(START_MS) })
      const { traceId, spanId } = root.spanContext()
      endAt(startChild(tracer, { parent: root, name: 'first step' }), START_MS + 1)
      await provider.forceFlush()
      expect(spanNamed(await readTrace(client, traceId), 'first step').parentSpanId).toBe(spanId)
      endAt(root, START_MS + 2)
      await provider.forceFlush()
      expect(await readTrace(client, traceId)).toMatchObject({ name: 'root', spans: [{}, {}] })
      await provider.shutdown()
      expect(exporter.batchSizes).toEqual([1, 1])
    })

    it.each(PROTOCOLS)('report a rejected key to their program, and nothing is stored: %s', async (protocol) => {
      const { client, key } = await app().newWorkspace()
      const exporter = exporterTo(app(), { protocol, key: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` })
      const provider = providerOf([new BatchSpanProcessor({ exporter })])
      recordAnswer(provider.getTracer('support'))
      await expect(provider.forceFlush()).rejects.toBeDefined()
      expect(exporter.failures).toHaveLength(1)
      expect(exporter.failures[0]).toMatch(/Unauthorized|UNAUTHENTICATED/i)
      // Not sent again either: only what may succeed later is.
      expect(exporter.batchSizes).toEqual([4])
      expect(await client.list('/traces')).toEqual([])
      await provider.shutdown()
    })

    it.each(PROTOCOLS)('treat a partial success as a success and report what was rejected: %s', async (protocol) => {
      const { client, key } = await app().newWorkspace()
      const exporter = exporterTo(app(), { protocol, key })
      const provider = providerOf([new BatchSpanProcessor({ exporter })])
      const tracer = provider.getTracer('support')
      const good = tracer.startSpan('good', { root: true })
      const attributes = { 'touchstone.dataset.id': ABSENT_ID }
      tracer.startSpan('rejected', { root: true, attributes }).end()
      good.end()
      const complaints = await complaintsDuring(() => provider.forceFlush())
      await provider.shutdown()
      expect(exporter.failures).toEqual([])
      expect(complaints).toHaveLength(1)
      expect(complaints[0]).toMatch(/^Received Partial Success response: .*"rejectedSpans":"?1"?/)
      expect(complaints[0]).toContain(`There is no dataset \\"${ABSENT_ID}\\"`)
      expect(await client.list('/traces')).toMatchObject([{ name: 'good', traceId: good.spanContext().traceId }])
    })

    it.each(PROTOCOLS)(
      'deliver batches of 512 spans whole, though several are under way at once: %s',
      async (protocol) => {
        const { client, key } = await app().newWorkspace()
        const exporter = exporterTo(app(), { protocol, key, compression: 'gzip' })
        const provider = providerOf([new BatchSpanProcessor({ exporter })])
        const tracer = provider.getTracer('support')
        const root = tracer.startSpan('root', { root: true, startTime: new Date(START_MS) })
        const names = Array.from({ length: 1_299 }, (_, place) => `step ${place}`)
        for (const name of names) endAt(startChild(tracer, { parent: root, name }), START_MS + 1)
        endAt(root, START_MS + 2)
        // Flushing alone does not wait for a batch that is on its way already; shutting down does.
        await provider.shutdown()
        expect(exporter.failures).toEqual([])
        expect(exporter.batchSizes).toEqual([512, 512, 276])
        const { spans, name } = await readTrace(client, root.spanContext().traceId)
        expect(name).toBe('root')
        expect(spans.map((span) => span.name).toSorted()).toEqual(['root', ...names].toSorted())
        expect(new Set(spans.map(({ parentSpanId }) => parentSpanId))).toEqual(
          new Set([null, root.spanContext().spanId]),
        )
      },
    )

    it('store spans once that several exporters send at the same moment', async () => {
      const { client, key } = await app().newWorkspace()
      const exporters = PROTOCOLS.map((protocol) => exporterTo(app(), { protocol, key }))
      const provider = providerOf(exporters.map((exporter) => new BatchSpanProcessor({ exporter })))
      const { root } = recordAnswer(provider.getTracer('support'))
      await provider.forceFlush()
      await provider.shutdown()
      expect(exporters.flatMap(({ failures }) => failures)).toEqual([])
      const stored = await readTrace(client, root.traceId)
      expect(stored.totalTokens).toBe(1_100)
      expect(stored.spans.map(({ name }) => name).toSorted()).toEqual(['answer', 'chat gpt-4o', 'look up'])
      expect((await client.get('/traces')).body.total).toBe(2)
    })

    it('join the spans of two services into one trace, in any order of arrival', async () => {
      const { client, key } = await app().newWorkspace()
      const [web, worker] = (['http/protobuf', 'grpc'] as const).map((protocol) =>
        providerOf([new BatchSpanProcessor({ exporter: exporterTo(app(), { protocol, key }) })], {
          'service.name': protocol,
        }),
      )
      if (!web || !worker) throw new Error('there are two of them')
      const request = web.getTracer('web').startSpan('request', { root: true, startTime: new Date(START_MS) })
      const work = startChild(worker.getTracer('worker'), { parent: request, name: 'work', atMs: START_MS + 1 })
      endAt(work, START_MS + 2)
      endAt(request, START_MS + 3)
      await Promise.all([worker.forceFlush(), web.forceFlush()])
      await Promise.all([worker.shutdown(), web.shutdown()])
      const stored = await readTrace(client, request.spanContext().traceId)
      expect(stored).toMatchObject({ name: 'request', durationMs: 3 })
      expect(spanNamed(stored, 'work')).toMatchObject({
        parentSpanId: request.spanContext().spanId,
        metadata: { 'service.name': 'grpc' },
      })
      expect(spanNamed(stored, 'request').metadata['service.name']).toBe('http/protobuf')
      expect((await client.get('/traces?service=http/protobuf')).body.total).toBe(1)
    })
  },
  WITH_GRPC,
)
